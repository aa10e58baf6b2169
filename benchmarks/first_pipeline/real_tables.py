"""The tables of TIDEMILL_DATA: a bounded part of each, contiguous from its beginning in time, in the form in which people have it."""
import csv
import gzip
import io
import lzma
import tarfile

import numpy as np

from table import Table, numbers_of, seconds_of, write_csv, write_images

TITLES = 6_000  # 100 classes make the reference model of texts slow
IMAGES = 4_000  # and so do pixels
RATINGS = 40_000
FLIGHTS = 30_000
SECONDS_OF_DRIVING = 30_000
HOURS_OF_A_STATION = 2_500


def columns_of(text, delimiter=","):
    quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    names, *rows = csv.reader(io.StringIO(text), delimiter=delimiter, quoting=quoting)
    return names, rows, {name: [row[at] for row in rows] for at, name in enumerate(names)}


def unpacked(path):
    return lzma.open(path, "rt", encoding="utf-8").read()


def seattle_weather(data, folder):
    text = (data / "seattle_weather" / "seattle-weather.csv").read_text()
    _, _, columns = columns_of(text)
    path = folder / "seattle-weather.csv"
    path.write_text(text)
    return Table(path, np.array(columns["weather"]), {path.name: 0}, label="weather", times=seconds_of(columns["date"]),
                 numbers={name: numbers_of(columns[name]) for name in ("precipitation", "temp_max", "temp_min", "wind")})


def drift_elec2(data, folder):
    text = (data / "drift_elec2" / "elec2_full.csv").read_text()
    _, _, columns = columns_of(text)
    path = folder / "elec2_full.csv"
    path.write_text(text)
    numbers = ("nswprice", "nswdemand", "vicprice", "vicdemand", "transfer")
    return Table(path, np.array(columns["class"]), {path.name: 0}, label="class", times=seconds_of(columns["timestamp"]),
                 numbers={name: numbers_of(columns[name]) for name in numbers}, categories={"day": columns["day"]})


def tabular_flights(data, folder):
    """What is known before the flight, with the weather of its hour; a flight that never arrived has no label."""
    _, _, flights = columns_of(unpacked(data / "tabular_flights" / "flights.csv.xz"))
    _, _, weather = columns_of(unpacked(data / "tabular_flights" / "weather.csv.xz"))
    sky = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "precip", "pressure", "visib"]
    hours = {key: at for at, key in enumerate(zip(weather["origin"], weather["time_hour"]))}
    order = np.argsort(np.array(flights["time_hour"]), kind="stable")[:FLIGHTS]
    known = ["time_hour", "carrier", "flight", "tailnum", "origin", "dest", "distance", "hour", "minute"]
    rows = []
    for at in order:
        hour = hours.get((flights["origin"][at], flights["time_hour"][at]))
        delay = flights["arr_delay"][at]
        late = "" if delay == "NA" else "late" if float(delay) >= 15 else "on time"
        rows.append([flights[name][at] for name in known] +
                    [weather[name][hour] if hour is not None else "NA" for name in sky] + [late])
    names = known + sky + ["arrival"]
    write_csv(folder / "flights.csv", names, rows)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    return Table(folder / "flights.csv", np.array(columns["arrival"]), {"flights.csv": 0}, label="arrival",
                 times=seconds_of(columns["time_hour"]),
                 numbers={name: numbers_of(columns[name]) for name in ["distance", *sky]},
                 categories={name: columns[name] for name in ("carrier", "origin", "dest", "hour")})


def recsys_movietweetings(data, folder):
    source = data / "recsys_movietweetings"
    _, _, columns = columns_of(source.joinpath("ratings.csv").read_text())
    films = dict(line.split("::", 1) for line in source.joinpath("movies.dat").read_text().splitlines())
    rows = []
    for user, film, rating, time in list(zip(*columns.values()))[:RATINGS]:
        title, genres = films[film].split("::")
        rows.append([time, user, film, title.rsplit("(", 1)[1].rstrip(")"), genres.split("|")[0], "yes" if int(rating) >= 8 else "no"])
    write_csv(folder / "ratings.csv", ["timestamp", "user_id", "imdb_id", "year", "genre", "liked"], rows)
    times, users, films, years, genres, liked = zip(*rows)
    return Table(folder / "ratings.csv", np.array(liked), {"ratings.csv": 0}, label="liked", times=numbers_of(times),
                 numbers={"year": numbers_of(years)}, categories={"user": users, "film": films, "genre": genres})


def text_arxiv_titles(data, folder):
    lines = unpacked(data / "text_arxiv_titles" / "arxiv_titles.tsv.xz").splitlines()[:TITLES + 1]
    (folder / "titles.tsv").write_text("\n".join(lines) + "\n")
    _, _, columns = columns_of("\n".join(lines), "\t")
    return Table(folder / "titles.tsv", np.array(columns["primary_cat"]), {"titles.tsv": 0}, label="primary_cat",
                 texts={"title": columns["title"]})


def driving_kit_obd2(data, folder):
    """How much faster the car is in five seconds."""
    names, rows, columns = columns_of(unpacked(data / "driving_kit_obd2" / "obd2_1hz.csv.xz"))
    speed, times = numbers_of(columns["speed_kmh"]), seconds_of(columns["timestamp"])
    there = [at for at in range(len(rows) - 5) if times[at + 5] - times[at] == 5][:SECONDS_OF_DRIVING]
    change = (speed[np.array(there) + 5] - speed[there]).round(1)
    write_csv(folder / "drives.csv", names + ["speed_change_5s"], [rows[at] + [value] for at, value in zip(there, change)])
    signals = names[names.index("coolant_c"):]
    return Table(folder / "drives.csv", change, {"drives.csv": 0}, label="speed_change_5s", times=times[there],
                 numbers={name: numbers_of(columns[name])[there] for name in signals},
                 categories={name: [columns[name][at] for at in there] for name in ("route", "condition")})


def driving_gtsrb28(data, folder):
    """Signs from the darkest image to the brightest."""
    source = data / "driving_gtsrb28"
    _, _, index = columns_of(source.joinpath("gtsrb28_index.csv").read_text())
    pixels = np.frombuffer(lzma.open(source / "gtsrb28.bin.xz").read(), np.uint8).reshape(-1, 28, 28, 3)
    chosen = np.sort(np.random.default_rng(1).permutation(len(pixels))[:IMAGES])
    order = chosen[np.argsort(numbers_of(index["mean_luma"])[chosen], kind="stable")]
    classes = np.array([f"{int(name):02d}" for name in index["class_id"]])[order]
    firsts = write_images(folder, pixels[order], classes)
    return Table(folder, classes, firsts, pixels=pixels[order].reshape(len(order), -1))


def vision_fashion_mnist(data, folder):
    source = data / "vision_fashion_mnist"
    read = lambda name, skip: np.frombuffer(gzip.open(source / name).read(), np.uint8)[skip:]
    pixels = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)[:IMAGES]
    names = "t-shirt trouser pullover dress coat sandal shirt sneaker bag boot".split()
    classes = np.array([names[at] for at in read("train-labels-idx1-ubyte.gz", 8)[:IMAGES]])
    return Table(folder, classes, write_images(folder, pixels, classes), pixels=pixels.reshape(len(pixels), -1))


def weather_beijing_multisite(data, folder):
    """A file for each of twelve stations: fine dust from the other pollutants and the weather."""
    firsts, rows = {}, []
    with tarfile.open(data / "weather_beijing_multisite" / "prsa_beijing_12sites.tar.xz") as archive:
        for member in sorted(archive.getnames()):
            lines = archive.extractfile(member).read().decode().splitlines()[:HOURS_OF_A_STATION + 1]
            (folder / member).write_text("\n".join(lines) + "\n")
            names, some, _ = columns_of("\n".join(lines))
            firsts[member] = len(rows)
            rows += some
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    times = seconds_of([f"{int(y)}-{int(m):02d}-{int(d):02d}T{int(h):02d}:00:00" for y, m, d, h in
                        zip(*(columns[name] for name in ("year", "month", "day", "hour")))])
    numbers = ("PM10", "SO2", "NO2", "CO", "O3", "TEMP", "PRES", "DEWP", "RAIN", "WSPM")
    return Table(folder, numbers_of(columns["PM2.5"]), firsts, label="PM2.5", times=times,
                 numbers={name: numbers_of(columns[name]) for name in numbers},
                 categories={name: columns[name] for name in ("wd", "station")})


TABLES = [seattle_weather, drift_elec2, tabular_flights, recsys_movietweetings, text_arxiv_titles, driving_kit_obd2,
          driving_gtsrb28, weather_beijing_multisite, vision_fashion_mnist]
