#include "transform/script_rules/allowed_operators.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_split.h"

namespace tidemill::models {
namespace {

// Operators of libtorch's namespace `aten`. Omitted are operators that use files, devices, other
// processes or the state of random numbers, that expose uninitialised memory, that trust indices,
// sizes or pointers of a script, that belong to the backward pass, or whose result shares the
// memory of an argument without libtorch's notice of changes. tests/operators calls each of them
// with random arguments; models/script_arguments.cc has what is checked in addition when they run.
constexpr std::string_view kTensorOperators =
    "Bool Complex ComplexImplicit Delete Float FloatImplicit Int IntImplicit ScalarImplicit "
    "Size __and__ __contains__ __derive_index __getitem__ __iand__ __ilshift__ __interpolate "
    "__ior__ __irshift__ __is__ __isnot__ __ixor__ __lshift__ __not__ __or__ __range_length "
    "__round_to_zero_floordiv __rshift__ __upsample __upsample_bilinear __upsample_nearest "
    "__xor__ _adaptive_avg_pool2d _adaptive_avg_pool3d _aminmax _assert_async "
    "_assert_tensor_metadata _cast_Byte _cast_Char _cast_Double _cast_Float _cast_Half "
    "_cast_Int _cast_Long _cast_Short _cdist_forward _conj _conj_physical _convolution "
    "_convolution_mode _dim_arange _euclidean_dist _fused_rms_norm _infer_size _is_all_true "
    "_is_any_true _linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd "
    "_list_to_tensor _log_softmax _logcumsumexp _masked_softmax _native_multi_head_attention "
    "_nested_tensor_from_mask _nested_tensor_from_mask_left_aligned _pack_padded_sequence "
    "_pad_packed_sequence _safe_softmax _sample_dirichlet _set_item _shape_as_tensor _softmax "
    "_standard_gamma _to_copy _transformer_encoder_layer_fwd _trilinear _unique _unique2 "
    "_unwrap_optional _upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_lanczos2d_aa "
    "_upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d "
    "_weight_norm abs absolute acos acosh adaptive_avg_pool1d adaptive_avg_pool2d "
    "adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d add "
    "addbmm addcdiv addcmul addmm addmv addr adjoint affine_grid_generator alias all allclose "
    "alpha_dropout amax amin aminmax angle any append arange arccos arccosh arcsin arcsinh "
    "arctan arctan2 arctanh argmax argmin argsort argwhere as_strided as_strided_scatter "
    "as_tensor asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d avg_pool1d "
    "avg_pool2d avg_pool3d baddbmm bartlett_window batch_norm bernoulli bilinear bin "
    "binary_cross_entropy binary_cross_entropy_with_logits bincount binomial bitwise_and "
    "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor blackman_window "
    "block_diag bmm broadcast_shapes broadcast_tensors broadcast_to bucketize can_cast "
    "capitalize cartesian_prod cat cauchy cdist ceil celu center chain_matmul chalf "
    "channel_shuffle cholesky cholesky_inverse cholesky_solve chr chunk clamp clamp_max "
    "clamp_min clear clip clone col2im column_stack combinations complex concat concatenate "
    "conj conj_physical constant_pad_nd contiguous conv1d conv2d conv3d conv_tbc "
    "conv_transpose1d conv_transpose2d conv_transpose3d convolution copy copysign corrcoef cos "
    "cosh cosine_embedding_loss cosine_similarity count count_nonzero cov cpu cross "
    "cross_entropy_loss cummax cummin cumprod cumsum cumulative_trapezoid deg2rad degrees det "
    "detach device diag diag_embed diagflat diagonal diagonal_scatter dict diff digamma dim "
    "dist div divide divmod dot dropout dsplit dstack einsum element_size elu embedding "
    "embedding_bag embedding_renorm endswith eq equal erf erfc erfinv exp exp2 expand "
    "expand_as expandtabs expm1 exponential extend eye fabs factorial "
    "fake_quantize_per_channel_affine fake_quantize_per_tensor_affine feature_alpha_dropout "
    "feature_dropout fft_fft fft_fft2 fft_fftfreq fft_fftn fft_fftshift fft_hfft fft_hfft2 "
    "fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn "
    "fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftfreq fft_rfftn fill "
    "fill_diagonal find fix flatten flip fliplr flipud float_power floor floor_divide floordiv "
    "fmax fmin fmod format frac fractional_max_pool2d fractional_max_pool3d frexp "
    "frobenius_norm full full_like gamma gather gcd ge gelu geometric geqrf ger get "
    "get_autocast_dtype get_device glu gradient greater greater_equal grid_sampler "
    "grid_sampler_2d grid_sampler_3d group_norm gru gru_cell gt hamming_window hann_window "
    "hardshrink hardsigmoid hardswish hardtanh has_torch_function hash heaviside hex "
    "hinge_embedding_loss histc histogram histogramdd hsplit hstack huber_loss hypot i0 igamma "
    "igammac im2col imag index index_add index_copy index_fill index_put index_reduce "
    "index_select inner insert instance_norm inverse is_autocast_cpu_enabled "
    "is_autocast_enabled is_complex is_conj is_contiguous is_floating_point is_grad_enabled "
    "is_leaf is_neg is_nonzero is_same_size is_scripting is_signed isalnum isalpha isclose "
    "isdecimal isdigit isfinite isidentifier isin isinf islower isnan isneginf isnumeric "
    "isposinf isprintable isreal isspace istft istitle isupper item items join kaiser_window "
    "keys kl_div kron kthvalue l1_loss layer_norm ldexp le leaky_relu len lerp less less_equal "
    "lgamma lift_fresh linalg_cholesky linalg_cholesky_ex linalg_cond linalg_cross linalg_det "
    "linalg_diagonal linalg_eigh linalg_eigvalsh linalg_householder_product linalg_inv "
    "linalg_inv_ex linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_matmul "
    "linalg_matrix_exp linalg_matrix_norm linalg_matrix_power linalg_matrix_rank "
    "linalg_multi_dot linalg_norm linalg_pinv linalg_qr linalg_slogdet linalg_solve "
    "linalg_solve_ex linalg_solve_triangular linalg_svd linalg_svdvals linalg_tensorinv "
    "linalg_tensorsolve linalg_vander linalg_vecdot linalg_vector_norm linear linspace list "
    "ljust log log10 log1p log2 log_normal log_sigmoid log_sigmoid_forward log_softmax "
    "logaddexp logaddexp2 logcumsumexp logdet logical_and logical_not logical_or logical_xor "
    "logit logspace logsumexp lower lstm lstm_cell lstrip lt mH mT margin_ranking_loss "
    "masked_fill masked_scatter masked_select mathremainder matmul matrix_H matrix_exp "
    "matrix_power max max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices "
    "max_pool3d max_pool3d_with_indices max_unpool2d max_unpool3d maximum mean median meshgrid "
    "min minimum mish mm mode modf moveaxis movedim mse_loss msort mul multi_margin_loss "
    "multilabel_margin_loss multilabel_margin_loss_forward multinomial multiply mv mvlgamma "
    "nan_to_num nanmean nanmedian nanquantile nansum narrow native_dropout native_group_norm "
    "native_layer_norm native_norm ne neg negative new_full new_ones new_zeros nextafter "
    "nll_loss nll_loss2d nll_loss2d_forward nll_loss_forward nll_loss_nd nonzero nonzero_numpy "
    "norm norm_except_dim normal not_equal nuclear_norm numel numpy_T oct one_hot ones "
    "ones_like ord orgqr ormqr outer pad pad_sequence pairwise_distance partition pdist "
    "percentFormat permute pinverse pixel_shuffle pixel_unshuffle poisson poisson_nll_loss "
    "polar polygamma pop popitem positive pow prelu prod promote_types put qr quantile rad2deg "
    "radians rand rand_like randint randint_like randn randn_like random randperm ravel real "
    "reciprocal reflection_pad1d reflection_pad2d reflection_pad3d relu relu6 remainder remove "
    "renorm repeat repeat_interleave replace replication_pad1d replication_pad2d "
    "replication_pad3d requires_grad reshape reshape_as resolve_conj resolve_neg result_type "
    "reverse rfind rindex rjust rms_norm rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell roll "
    "rot90 round row_stack rpartition rrelu rrelu_with_noise rsplit rsqrt rstrip rsub "
    "scalar_tensor scaled_dot_product_attention scatter scatter_add scatter_reduce "
    "searchsorted select select_scatter selu set_grad_enabled setdefault sgn sigmoid sign "
    "signbit silu sin sinc sinh size slice slice_scatter slogdet smooth_l1_loss "
    "soft_margin_loss softmax softplus softshrink sort sorted special_airy_ai "
    "special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1 special_digamma "
    "special_entr special_erf special_erfc special_erfcx special_erfinv special_exp2 "
    "special_expit special_expm1 special_gammainc special_gammaincc special_gammaln special_i0 "
    "special_i0e special_i1 special_i1e special_log1p special_log_ndtr special_log_softmax "
    "special_logit special_logsumexp special_modified_bessel_i0 special_modified_bessel_i1 "
    "special_modified_bessel_k0 special_modified_bessel_k1 special_multigammaln special_ndtr "
    "special_ndtri special_polygamma special_psi special_round "
    "special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_sinc "
    "special_softmax special_spherical_bessel_j0 special_xlog1py special_xlogy special_zeta "
    "split split_with_sizes splitlines sqrt square squeeze stack startswith std std_mean stft "
    "storage_offset str stride strip sub subtract sum sum_to_size svd swapaxes swapcase "
    "swapdims sym_is_contiguous sym_numel sym_size sym_storage_offset sym_stride t take "
    "take_along_dim tan tanh tensor tensor_split tensordot threshold tile title to "
    "to_padded_tensor topk trace transpose trapezoid trapz triangular_solve tril tril_indices "
    "triplet_margin_loss triu triu_indices true_divide trunc type_as unbind unflatten unfold "
    "uniform unique_consecutive unique_dim unique_dim_consecutive unsqueeze update upper "
    "upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d "
    "upsample_nearest2d upsample_nearest3d upsample_trilinear3d vander var var_mean vdot view "
    "view_as view_as_complex view_as_real vsplit vstack warn where xlogy zero zeros zeros_like "
    "zfill";

// Operators of the namespace `prim`, which are of the language.
constexpr std::string_view kLanguageOperators =
    "EnumName EnumValue NumToTensor RaiseException StringIndex TupleIndex TupleUnpack "
    "Uninitialized abs device dtype index is_cpu is_cuda is_ipu is_maia is_meta "
    "is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse is_sparse_csr is_vulkan is_xla "
    "is_xpu isinstance itemsize layout max min name nbytes rangelist requires_grad shape "
    "tolist type unchecked_cast unchecked_unwrap_optional";

// The nodes of a graph that are not operators.
constexpr std::string_view kGraphNodes =
    "CallFunction CallMethod Constant CreateObject DictConstruct Enter Exit GetAttr If "
    "ListConstruct ListUnpack Loop ModuleContainerIndex Param Return SetAttr TupleConstruct "
    "TupleSlice annotate hasattr";

// Functions without a namespace.
constexpr std::string_view kFunctions =
    "abs all annotate any bin bool chr complex dict divmod enumerate float getattr hasattr "
    "hash hex int isinstance len list max min oct ord pow range rangelist reversed round "
    "sorted str sum super tuple type unchecked_cast uninitialized zip";

// Attributes of a tensor, a device or a value of an enumeration.
constexpr std::string_view kAttributes =
    "H T device dtype is_cpu is_cuda is_meta is_mkldnn is_nested is_quantized is_sparse "
    "itemsize layout mH mT nbytes ndim shape tolist value";

struct RefusedOperator {
  std::string_view name;
  std::string_view what;
};

constexpr std::string_view kUnwritten = "it exposes uninitialised memory; use torch.zeros";
constexpr std::string_view kHidden =
    "changes of its result are not noticed where its argument was saved for the backward pass";

constexpr RefusedOperator kRefusedOperators[] = {
    {"ctc_loss",
     "it uses the numbers in `targets` as offsets in memory without a check. A network gives "
     "outputs; training.loss names the loss"},
    {"empty", kUnwritten},
    {"empty_like", "it exposes uninitialised memory; use torch.zeros_like"},
    {"new_empty", "it exposes uninitialised memory; use new_zeros"},
    {"empty_strided", kUnwritten},
    {"data", "changes of it are not noticed by the backward pass; use .detach()"},
    {"_unsafe_view", kHidden},
    {"unsafe_chunk", "use torch.chunk"},
    {"unsafe_split", "use torch.split"},
    {"unsafe_split_with_sizes", "use torch.split"},
    {"range", "use torch.arange"},
    {"linalg_lstsq", "its result depends on uninitialised memory; use torch.linalg.pinv"},
    {"linalg_eig", "it writes out of bounds; use torch.linalg.eigh for symmetric matrices"},
    {"linalg_eigvals", "it writes out of bounds; use torch.linalg.eigvalsh for symmetric matrices"},
    {"lu_unpack", "it does not check its pivots; use torch.linalg.lu"},
    {"lu_solve", "it does not check its pivots; use torch.linalg.solve"},
    {"linalg_lu_solve", "it does not check its pivots; use torch.linalg.solve"},
    {"linalg_ldl_solve", "it does not check its pivots; use torch.linalg.solve"},
    {"quantize_per_tensor", "use torch.fake_quantize_per_tensor_affine"},
    {"quantize_per_channel", "use torch.fake_quantize_per_channel_affine"},
    {"out", "assign the result"},
};

using AllowedNames = absl::flat_hash_set<std::string>;

AllowedNames SetOf(std::string_view text) {
  AllowedNames names;
  for (const auto name : absl::StrSplit(absl::string_view(text.data(), text.size()), ' ')) {
    names.emplace(name);
  }
  return names;
}

bool IsListed(const AllowedNames& names, std::string_view name) {
  return names.contains(absl::string_view(name.data(), name.size()));
}

}  // namespace

std::string_view InsteadOf(std::string_view name) {
  const size_t begin = name.find_last_of(".:");
  if (begin != std::string_view::npos) name.remove_prefix(begin + 1);
  if (name.ends_with('=')) name.remove_suffix(1);
  for (const RefusedOperator& instead : kRefusedOperators) {
    if (instead.name == name) return instead.what;
  }
  return {};
}

bool IsTensorOperator(std::string_view name) {
  static const AllowedNames& names = *new AllowedNames(SetOf(kTensorOperators));
  // `relu_` works in the place of its input.
  return IsListed(names, name) || (name.ends_with('_') && !name.ends_with("__") &&
                                   IsListed(names, name.substr(0, name.size() - 1)));
}

bool IsLanguageOperator(std::string_view name) {
  static const AllowedNames& names = *new AllowedNames(SetOf(kLanguageOperators));
  return IsListed(names, name);
}

bool IsGraphNode(std::string_view kind) {
  static const AllowedNames& names = *new AllowedNames(SetOf(kGraphNodes));
  constexpr std::string_view kTensors = "aten::";
  constexpr std::string_view kLanguage = "prim::";
  if (kind.starts_with(kTensors)) return IsTensorOperator(kind.substr(kTensors.size()));
  if (!kind.starts_with(kLanguage)) return false;
  kind.remove_prefix(kLanguage.size());
  return IsLanguageOperator(kind) || IsListed(names, kind);
}

bool IsFunction(std::string_view name) {
  static const AllowedNames& names = *new AllowedNames(SetOf(kFunctions));
  return IsListed(names, name);
}

bool IsAttribute(std::string_view name) {
  static const AllowedNames& names = *new AllowedNames(SetOf(kAttributes));
  return IsListed(names, name) || IsTensorOperator(name);
}

}  // namespace tidemill::models
