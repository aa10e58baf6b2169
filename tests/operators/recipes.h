// Arguments that fit one another, for operators that random ones hardly ever suit.
#pragma once

#include <string_view>

namespace tidemill::operators {

// The recipe of an operator ("aten::conv2d"), of all its overloads; empty when it needs none.
//
//   input=T:n,c,h,w target=I:n<c reduction=i:1 size=l:2,2 mode=s:sum hx=L:l,n,h;l,n,h
//
// T is a tensor, M one of truths, I one of whole numbers below what follows, L a list of tensors.
// A letter is a size, which is the same in the whole call, and + makes a sum of two. i, f, b, s and
// l are a whole number, a real one, a truth, a text and a list of whole numbers; N is nothing.
// Arguments that the recipe does not name have their default, or are random.
std::string_view RecipeOf(std::string_view name);

}  // namespace tidemill::operators
