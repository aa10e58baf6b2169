#!/bin/sh
# Writes data/ratings.csv and data/films.csv into a folder: prepare.sh FOLDER. TIDEMILL_DATA: the folder with one folder a dataset.
set -eu
source="${TIDEMILL_DATA:?set it to the folder that holds the datasets}/recsys_movietweetings"
data="${1:?name the folder to write to}/data"
mkdir -p "$data"

# How often the user had rated, and the film been rated, before: what is known when the rating comes.
awk 'BEGIN { FS = OFS = "," }
     NR == 1 { print $0, "user_ratings", "film_ratings"; next }
     { print $0, users[$1] + 0, films[$2] + 0; users[$1]++; films[$2]++ }' "$source/ratings.csv" > "$data/ratings.csv"

# imdb_id::title (year)::genre|genre. A genre that a film lacks is called none.
awk 'BEGIN { FS = "::"; OFS = ","; print "imdb_id", "year", "genre", "second_genre" }
     { match($2, /\([0-9][0-9][0-9][0-9]\)$/)
       year = RSTART ? substr($2, RSTART + 1, 4) : ""
       n = split($3, genres, "|")
       if (n < 1 || genres[1] == "") genres[1] = "none"
       if (n < 2) genres[2] = "none"
       print $1, year, genres[1], genres[2] }' "$source/movies.dat" > "$data/films.csv"
