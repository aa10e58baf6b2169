"""Tables made with fixed seeds, in the shapes in which people export them: each has noise, columns that say nothing, values
that are missing, and most have drift."""
import json

import numpy as np

from table import Table, write_csv

DAY = 86_400
NEW_YEAR = 1_672_531_200  # 2023-01-01, a Sunday
REGIONS = 54


def sigmoid(value):
    return 1 / (1 + np.exp(-value))


def sorted_times(random, count, days):
    """Times with more records by day than by night."""
    times = random.uniform(0, days, 2 * count)
    awake = random.random(2 * count) < 0.55 - 0.4 * np.cos(2 * np.pi * times)
    times = times[awake]
    return NEW_YEAR + np.floor(np.sort(random.choice(times, count, replace=len(times) < count)) * DAY)


def formatted(times, pattern):
    """Times as texts: a pattern of strftime."""
    return [time.strftime(pattern) for time in np.array(times, dtype="datetime64[s]").tolist()]


def with_gaps(random, values, share):
    """A copy of which a share is NaN."""
    values = np.array(values, dtype=float)
    values[random.random(len(values)) < share] = np.nan
    return values


def text_of(value, digits=2):
    return "" if np.isnan(value) else f"{value:.{digits}f}"


def german(value, digits=2, thousands=False):
    if np.isnan(value):
        return ""
    text = f"{value:,.{digits}f}" if thousands else f"{value:.{digits}f}"
    return text.replace(",", " ").replace(".", ",").replace(" ", ".")


def drawn(random, chance, yes, no):
    return np.where(random.random(len(chance)) < chance, yes, no)


def churn(_, folder):
    """Customers of a telephone company: semicolons, decimal commas, days first, a country that is missing in a quarter."""
    random, count = np.random.default_rng(11), 6_000
    times = np.sort(NEW_YEAR + random.integers(0, 730, count) * DAY)
    progress = (times - NEW_YEAR) / (730 * DAY)
    tariff = random.choice(["Basis", "Komfort", "Premium", "Firma"], count, p=[.4, .3, .2, .1])
    country = random.choice(["DE", "AT", "CH", ""], count, p=[.45, .2, .1, .25])
    contact = random.choice(["Web", "Telefon", "Filiale", "Partner"], count)
    months = random.integers(1, 72, count).astype(float)
    revenue = np.exp(random.normal(3.2, .5, count)) * np.where(tariff == "Premium", 1.6, 1)
    calls = random.poisson(1.2, count).astype(float)
    age = with_gaps(random, random.normal(46, 15, count).clip(18, 90).round(), .06)
    volume = with_gaps(random, random.gamma(2, 5, count), .03)
    score = (-1.1 + .55 * calls - .9 * np.log(months / 12 + .3) + .8 * (tariff == "Basis") - .6 * (country == "CH") +
             .03 * (revenue - 28) * (1 - 1.6 * progress) + .6 * (contact == "Partner") * progress +
             .5 * np.cos(2 * np.pi * progress * 2) + random.normal(0, .7, count))
    target = drawn(random, sigmoid(score), "ja", "nein")
    write_csv(folder / "kunden.csv", ["Kundennummer", "Datum", "Tarif", "Land", "Kontakt", "Laufzeit", "Umsatz", "Anrufe", "Alter", "GB",
                                      "Quelle", "gekündigt"], zip(
        [f"K{number}" for number in random.permutation(count) + 100_000], formatted(times, "%d.%m.%Y"), tariff, country, contact,
        months.astype(int), map(german, revenue), calls.astype(int), [text_of(a, 0) for a in age], [german(v, 1) for v in volume],
        ["export_v2"] * count, target), delimiter=";")
    return Table(folder / "kunden.csv", target, {"kunden.csv": 0}, label="gekündigt", times=times,
                 numbers={"months": months, "revenue": revenue, "calls": calls, "age": age, "volume": volume},
                 categories={"tariff": tariff, "country": country, "contact": contact})


def clicks(_, folder):
    """Events of a shop in JSON Lines: nested fields, a list of tags, fields that are absent."""
    random, count = np.random.default_rng(12), 12_000
    times = sorted_times(random, count, 60)
    progress, hour = (times - NEW_YEAR) / (60 * DAY), times / 3600 % 24
    country = random.choice(["de", "fr", "it", "es", "pl", "us"], count, p=[.35, .2, .15, .12, .1, .08])
    device = random.choice(["phone", "desktop", "tablet"], count, p=[.6, .32, .08])
    page = random.choice([f"/p/{name}" for name in "home list item cart help blog".split()], count, p=[.3, .25, .25, .08, .07, .05])
    seconds = np.exp(random.normal(3, .9, count)).round(1)
    price = with_gaps(random, np.exp(random.normal(3.4, .8, count)).round(2), .2)
    depth = random.poisson(3, count).astype(float)
    names = ["new", "sale", "eco", "gift", "last"]
    tags = random.random((count, len(names))) < [.3, .25, .15, .1, .05]
    score = (-1.6 + .5 * np.log(seconds / 20) + .25 * (depth - 3) + 1.1 * (page == "/p/cart") - .8 * (page == "/p/help") +
             tags @ np.array([.2, .9, 0, .4, .7]) * (1 - .5 * progress) - .02 * np.nan_to_num(price, nan=30) * (country == "pl") +
             .4 * ((hour > 18) & (device == "phone")) + 1.2 * progress * (device == "desktop") - .4 * progress + random.normal(0, .6, count))
    target = drawn(random, sigmoid(1.7 * score), "true", "false")
    with open(folder / "events.jsonl", "w") as file:
        for at in range(count):
            event = {"id": f"{random.integers(1 << 60):015x}", "ts": int(times[at]), "user": {"country": country[at], "device": device[at]},
                     "page": {"path": page[at], "seconds": float(seconds[at]), "depth": int(depth[at])},
                     "tags": [name for name, there in zip(names, tags[at]) if there], "version": 3}
            if not np.isnan(price[at]):
                event["price"] = float(price[at])
            file.write(json.dumps(event | {"clicked": bool(target[at] == "true")}) + "\n")
    return Table(folder / "events.jsonl", target, {"events.jsonl": 0}, label="clicked", times=times,
                 numbers={"seconds": seconds, "depth": depth, "price": price} | {n: t.astype(float) for n, t in zip(names, tags.T)},
                 categories={"country": country, "device": device, "page": page})


def sensors(_, folder):
    """A machine's sensors, a file a day: a bearing wears, is replaced, and the state is what a technician wrote down."""
    random, per_day, days = np.random.default_rng(13), 240, 45
    count = per_day * days
    times = NEW_YEAR + np.arange(count) * (DAY / per_day)
    day = np.arange(count) / per_day
    load = (50 + 20 * np.sin(2 * np.pi * day) + 8 * np.repeat(random.normal(size=count // 12), 12) + random.normal(0, 4, count)).clip(5)
    wear = (day % 17) / 17 + .02 * np.cumsum(random.normal(0, .05, count))
    ambient = 18 + 5 * np.sin(2 * np.pi * (day - .3)) + .1 * day
    temperature = ambient + .35 * load + 9 * wear + random.normal(0, 2, count)
    vibration = np.exp(.9 * wear + .008 * load + random.normal(-.5, .25, count))
    current = .2 * load + random.normal(0, .8, count)
    pressure = random.normal(6, .2, count)
    trouble = .9 * wear + 1.6 * np.log(vibration) + .06 * (temperature - 40) - .01 * load + random.normal(0, .3, count)
    target = np.where(trouble > 2.6, "fault", np.where(trouble > 1.6, "warn", "ok"))
    temperature, vibration = with_gaps(random, temperature, .04), with_gaps(random, vibration, .02)
    numbers = {"load": load, "temperature": temperature, "vibration": vibration, "current": current, "pressure": pressure, "ambient": ambient}
    firsts = {}
    for start in range(0, count, per_day):
        rows = range(start, start + per_day)
        name = formatted(times[[start]], "sensors_%Y-%m-%d.csv")[0]
        firsts[name] = start
        write_csv(folder / name, ["time", *numbers, "firmware", "state"], zip(
            formatted(times[rows], "%Y-%m-%dT%H:%M:%S"), *([text_of(v, 3) for v in values[rows]] for values in numbers.values()),
            ["2.1.7"] * per_day, target[rows]))
    return Table(folder, target, firsts, label="state", times=times, numbers=numbers)


def loans(_, folder):
    """What a bank lost by each loan: ids, zip codes with leading zeros, accounts of 17 digits."""
    random, count = np.random.default_rng(14), 8_000
    times = np.sort(NEW_YEAR + random.integers(0, 900, count) * DAY)
    progress = (times - NEW_YEAR) / (900 * DAY)
    zips = np.array([f"{number:05d}" for number in random.integers(501, 99_000, 80)])
    zips[:20] = [f"0{number}" for number in random.integers(1_000, 9_999, 20)]
    effects = random.normal(0, 300, 80)
    place = random.integers(0, 80, count)
    amount = np.exp(random.normal(9, .6, count)).round(-2)
    term = random.choice([12., 24., 36., 60.], count)
    income = np.exp(random.normal(10.6, .45, count)).round()
    grade = random.choice(list("ABCDE"), count, p=[.3, .3, .2, .13, .07])
    purpose = random.choice(["car", "house", "study", "debt", "business", "other"], count)
    rate = with_gaps(random, 3 + 2 * np.array(["ABCDE".index(g) for g in grade]) + random.normal(0, .8, count) + 3 * progress, .05)
    risk = np.array([{"A": .02, "B": .04, "C": .07, "D": .11, "E": .17}[g] for g in grade]) * (1 + .8 * progress * (purpose == "business"))
    loss = (amount * risk * random.gamma(2, .5, count) + effects[place] + 8 * term - .004 * (income - 40_000) +
            250 * (purpose == "debt") + random.normal(0, 250, count) + 900).round(2)
    write_csv(folder / "loans.csv", ["loan_id", "account", "issued", "zip", "amount", "term_months", "income", "rate", "grade", "purpose",
                                     "loss"], zip(
        random.permutation(count) + 7_000_000, [f"76561198{number:09d}" for number in random.integers(0, 10**9, count)],
        formatted(times, "%Y-%m-%d"), zips[place], amount.astype(int), [f"{int(t)} months" for t in term], income.astype(int),
        [text_of(r) for r in rate], grade, purpose, loss))
    return Table(folder / "loans.csv", loss, {"loans.csv": 0}, label="loss", times=times,
                 numbers={"amount": amount, "term": term, "income": income, "rate": rate},
                 categories={"zip": zips[place], "grade": grade, "purpose": purpose})


def occupancy(_, folder):
    """An office in three files, each of which counts its rows: people are there on weekdays, and lights are sometimes left on."""
    random, count = np.random.default_rng(15), 18_000
    times = NEW_YEAR + 31 * DAY + np.arange(count) * 60.
    day, hour = ((times // DAY) + 4) % 7, times / 3600 % 24
    come, gone = np.repeat(random.normal(8.5, .4, count // 1440 + 1), 1440)[:count], np.repeat(random.normal(17.7, .7, count // 1440 + 1), 1440)[:count]
    lunch = (hour > 12.2) & (hour < 12.9)
    there = ((day >= 1) & (day <= 5) & (hour > come) & (hour < gone) & ~lunch & (np.repeat(random.random(count // 30), 30) < .93)).astype(float)
    on = there + (1 - there) * np.repeat(random.random(count // 60) < .06, 60) > 0
    daylight = 180 * np.sin(np.pi * (hour - 7) / 11).clip(0) * np.repeat(random.uniform(.2, 1, count // 360), 360)
    light = (on * 420 + daylight + random.normal(0, 12, count)).clip(0)
    slow = np.zeros((2, count))
    for at in range(1, count):
        slow[:, at] = slow[:, at - 1] + [(there[at] - slow[0, at - 1]) / 60, (there[at] - slow[1, at - 1]) / 150]
    co2 = 430 + 700 * slow[0] + random.normal(0, 12, count)
    temperature = 19.5 + 2.3 * slow[1] + .8 * np.sin(2 * np.pi * (hour - 9) / 24) + .00005 * np.arange(count) + random.normal(0, .05, count)
    humidity = 26 + 3 * slow[0] + 4 * np.sin(times / DAY / 2) + random.normal(0, .2, count)
    numbers = {"Temperature": temperature, "Humidity": humidity, "Light": light, "CO2": co2, "HumidityRatio": humidity * .00015 + temperature * .00002}
    target, firsts = np.where(there > 0, "1", "0"), {}
    for name, start, end in (("datatest.txt.csv", 0, 4_000), ("datatraining.csv", 4_000, 11_000), ("datatest2.csv", 11_000, count)):
        firsts[name] = start
        write_csv(folder / name, ["no", "date", *numbers, "Occupancy"], zip(
            range(1, end - start + 1), formatted(times[start:end], "%Y-%m-%d %H:%M:%S"),
            *([f"{v:.5g}" for v in values[start:end]] for values in numbers.values()), target[start:end]))
    return Table(folder, target, firsts, label="Occupancy", times=times, numbers=numbers)


def bikes(_, folder):
    """Rented bicycles an hour in two years: the day and its hour in two columns, units in the names."""
    random, count = np.random.default_rng(16), 24 * 730
    times = NEW_YEAR + np.arange(count) * 3600.
    hour, weekday, year = times / 3600 % 24, ((times // DAY) + 4) % 7, (times - NEW_YEAR) / (365.25 * DAY)
    daily = lambda scale: np.repeat(random.normal(0, scale, 730), 24)
    temperature = 12 - 13 * np.cos(2 * np.pi * (year - .04)) + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + daily(3) + random.normal(0, .7, count)
    humidity = (60 + daily(15) - 8 * np.sin(2 * np.pi * (hour - 9) / 24) + random.normal(0, 4, count)).clip(10, 98)
    rain = np.where(random.random(count) < .06 + .05 * (humidity > 75), random.exponential(2, count), 0)
    wind = random.gamma(3, .6, count)
    sun = (np.sin(np.pi * (hour - 6) / 12).clip(0) * (2 + temperature.clip(0) / 20) * (1.1 - humidity / 100)).clip(0)
    holiday = np.where(np.repeat(random.random(730) < .05, 24), "Holiday", "No Holiday")
    free = (weekday == 0) | (weekday == 6) | (holiday == "Holiday")
    commute = np.exp(-(hour - 8) ** 2 / 3) + 1.3 * np.exp(-(hour - 18) ** 2 / 5)
    leisure = .9 * np.exp(-(hour - 15) ** 2 / 22)
    level = np.exp(.06 * temperature.clip(-8, 27) - .09 * (temperature - 28).clip(0)) * (1 + .25 * year)
    count_of = 190 * (.35 + np.where(free, leisure, commute + .4 * leisure)) * level * np.where(rain > .3, .35, 1) * (1.1 - wind / 20)
    rented = (count_of * random.gamma(25, 1 / 25, count)).round()
    seasons = np.array(["Winter", "Spring", "Summer", "Autumn"])[(((times - NEW_YEAR) / DAY + 31) // 91.4 % 4).astype(int)]
    numbers = {"Temperature(°C)": temperature, "Humidity(%)": humidity, "Wind speed (m/s)": wind, "Solar Radiation (MJ/m2)": sun, "Rainfall(mm)": rain}
    write_csv(folder / "bikes.csv", ["Date", "Rented Bike Count", "Hour", *numbers, "Seasons", "Holiday"], zip(
        formatted(times, "%d/%m/%Y"), rented.astype(int), hour.astype(int), *([text_of(v, 1) for v in values] for values in numbers.values()),
        seasons, holiday))
    return Table(folder / "bikes.csv", rented, {"bikes.csv": 0}, label="Rented Bike Count", times=times, numbers=numbers,
                 categories={"seasons": seasons, "holiday": holiday})


def prices(_, folder):
    """Prices of a fruit in 54 regions, week by week; region after region, each from its newest week, with an index without a name."""
    random, weeks = np.random.default_rng(17), 150
    names = np.array([f"{a}{b}" for a in ("North", "South", "East", "West", "New", "Great") for b in
                      ("field", "haven", "port", "burg", "dale", "lands", "ville", "wood", "ridge")])
    levels, season = random.normal(0, .22, REGIONS), random.uniform(.02, .2, REGIONS)
    market = np.cumsum(random.normal(0, .025, weeks))
    columns = {name: [] for name in ("index", "time", "price", "volume", "small", "large", "bags", "type", "year", "region")}
    for region in range(REGIONS):
        for kind in ("conventional", "organic"):
            week = np.arange(weeks)[::-1]
            time = NEW_YEAR + (7 * week) * DAY
            volume = np.exp(random.normal(11 + 3 * levels[region] - 2.5 * (kind == "organic"), .3, weeks))
            small, large = random.uniform(.2, .5, weeks), random.uniform(.1, .3, weeks)
            price = np.exp(.1 + levels[region] + market[week] + season[region] * np.sin(2 * np.pi * week / 52.2) + .33 * (kind == "organic") -
                           .06 * (np.log(volume) - 11 - 3 * levels[region] + 2.5 * (kind == "organic")) + random.normal(0, .06, weeks))
            year = np.array(formatted(time, "%Y"))
            for name, values in (("index", [f"{i}" for y in np.unique(year)[::-1] for i in range((year == y).sum())]), ("time", time), ("price", price.round(2)),
                                 ("volume", volume), ("small", volume * small), ("large", volume * large), ("bags", volume * (1 - small - large)),
                                 ("type", [kind] * weeks), ("year", year), ("region", [names[region]] * weeks)):
                columns[name].extend(values)
    numbers = {name: np.array(columns[name]) for name in ("volume", "small", "large", "bags")}
    write_csv(folder / "avocados.csv", ["", "Date", "AveragePrice", "Total Volume", "4046", "4225", "Total Bags", "type", "year", "region"], zip(
        columns["index"], formatted(columns["time"], "%Y-%m-%d"), [f"{p:.2f}" for p in columns["price"]],
        *([text_of(v) for v in values] for values in numbers.values()), columns["type"], columns["year"], columns["region"]))
    return Table(folder / "avocados.csv", np.array(columns["price"]), {"avocados.csv": 0}, label="AveragePrice", times=np.array(columns["time"]),
                 numbers=numbers, categories={"type": columns["type"], "region": columns["region"]})


def returns(_, folder):
    """Orders of an American shop, month first, and whether they came back."""
    random, count = np.random.default_rng(18), 9_000
    times = np.floor(sorted_times(random, count, 200) / 60) * 60
    progress = (times - NEW_YEAR) / (200 * DAY)
    category = random.choice(["shoes", "shirts", "dresses", "jackets", "belts", "hats", "socks"], count, p=[.2, .25, .15, .12, .1, .08, .1])
    state = random.choice(["CA", "NY", "TX", "FL", "WA", "IL", "OH", "GA", "MA", "CO", "AZ", "NJ"], count)
    payment = random.choice(["card", "invoice", "wallet", "gift card"], count, p=[.5, .2, .25, .05])
    price = np.exp(random.normal(3.6, .6, count)).round(2)
    discount = random.choice([0., 5., 10., 20., 30.], count, p=[.5, .15, .15, .12, .08])
    pieces = (1 + random.poisson(.8, count)).astype(float)
    age = with_gaps(random, random.normal(38, 12, count).clip(18, 85).round(), .1)
    shipping = random.gamma(4, .9, count).round(1)
    score = (-1.3 + .9 * (category == "dresses") + .6 * (category == "shoes") - 1.2 * np.isin(category, ["socks", "belts", "hats"]) +
             .9 * (payment == "invoice") + .012 * (price - 40) * (category != "socks") + .15 * (shipping - 3.6) + .3 * (pieces - 1.8) -
             .02 * discount * (1 - 2 * progress) + .9 * progress * (category == "jackets") + random.normal(0, .6, count))
    target = drawn(random, sigmoid(1.4 * score), "yes", "no")
    write_csv(folder / "orders.csv", ["order_id", "ordered", "category", "price", "discount", "pieces", "customer_age", "state", "payment",
                                      "days_to_ship", "currency", "returned"], zip(
        np.arange(count) * 3 + 500_017, formatted(times, "%m/%d/%Y %H:%M"), category, price, discount.astype(int), pieces.astype(int),
        [text_of(a, 0) for a in age], state, payment, shipping, ["USD"] * count, target))
    return Table(folder / "orders.csv", target, {"orders.csv": 0}, label="returned", times=times,
                 numbers={"price": price, "discount": discount, "pieces": pieces, "age": age, "shipping": shipping},
                 categories={"category": category, "state": state, "payment": payment})


def invoices(_, folder):
    """Invoices, paid late or not: thousands points, percents and kilograms after the numbers."""
    random, count = np.random.default_rng(19), 7_000
    times = np.sort(NEW_YEAR + random.integers(0, 500, count) * DAY)
    progress = (times - NEW_YEAR) / (500 * DAY)
    amount = np.exp(random.normal(7.2, 1.1, count))
    discount = random.choice([0., 2., 2.5, 3., 5., 12.5], count)
    weight = with_gaps(random, np.exp(random.normal(4.5, 1, count)).round(), .07)
    days = random.choice([14., 30., 60.], count, p=[.3, .5, .2])
    branch = random.choice(["Bau", "Handel", "Gastronomie", "Industrie", "Praxis"], count)
    earlier = random.poisson(1, count).astype(float)
    score = (-1.2 + .45 * (np.log(amount) - 7.2) - .18 * discount + .7 * earlier * (1 - .4 * progress) - .02 * (days - 30) +
             np.where(branch == "Bau", .8, 0) + np.where(branch == "Gastronomie", 1.5 * progress - .2, 0) - np.where(branch == "Praxis", .7, 0) +
             random.normal(0, .7, count))
    target = drawn(random, sigmoid(score), "spät", "pünktlich")
    write_csv(folder / "rechnungen.csv", ["Rechnung", "Datum", "Betrag", "Skonto", "Gewicht", "Ziel", "Branche", "Mahnungen", "Zahlung"], zip(
        [f"R-{number:06d}" for number in range(1, count + 1)], formatted(times, "%d.%m.%Y"), [german(a, 2, True) for a in amount],
        [german(d, 1) + " %" for d in discount], ["" if np.isnan(w) else german(w, 0, True) + " kg" for w in weight], [f"{int(d)} Tage" for d in days],
        branch, earlier.astype(int), target), delimiter=";")
    return Table(folder / "rechnungen.csv", target, {"rechnungen.csv": 0}, label="Zahlung", times=times,
                 numbers={"amount": amount, "discount": discount, "weight": weight, "days": days, "earlier": earlier},
                 categories={"branch": branch})


def ozone(_, folder):
    """A station of air quality, as its logger writes it: two lines before the header, an index in front, NA for what is missing."""
    random, count = np.random.default_rng(20), 24 * 400
    times = NEW_YEAR + np.arange(count) * 3600.
    hour, year = times / 3600 % 24, (times - NEW_YEAR) / (365.25 * DAY)
    daily = lambda scale: np.repeat(random.normal(0, scale, 400), 24)
    cloud = sigmoid(daily(1.5))
    radiation = (np.sin(np.pi * (hour - 6) / 12).clip(0) * (500 - 300 * np.cos(2 * np.pi * year)) * (1 - .7 * cloud)) + random.exponential(3, count)
    temperature = 11 - 10 * np.cos(2 * np.pi * (year - .05)) + radiation / 90 + daily(3) + random.normal(0, .5, count)
    wind = random.gamma(2.5, 1, count) * np.exp(daily(.3))
    direction = np.array("N NE E SE S SW W NW".split())[np.repeat(random.integers(0, 8, count // 6), 6)]
    nitrogen = (28 * np.exp(-wind / 5) * (1 + .7 * np.exp(-(hour - 8) ** 2 / 4) + .5 * np.exp(-(hour - 18) ** 2 / 6)) * random.gamma(9, 1 / 9, count))
    humidity = (75 - radiation / 20 + daily(10) + random.normal(0, 3, count)).clip(15, 100)
    value = (30 + .05 * radiation + 1.1 * temperature - .5 * nitrogen + 1.5 * wind - .1 * humidity + 6 * np.isin(direction, ["S", "SE"]) +
             .002 * radiation * temperature - 6 * year + daily(5) + random.normal(0, 6, count)).clip(1).round(1)
    numbers = {"temp": with_gaps(random, temperature, .02), "rh": with_gaps(random, humidity, .02), "wind": wind, "radiation": with_gaps(random, radiation, .05),
               "no2": with_gaps(random, nitrogen, .12), "battery": 12.6 - .0001 * np.arange(count) % .6 + random.normal(0, .02, count)}
    write_csv(folder / "station.csv", ["", "time", *numbers, "wind_dir", "o3"], zip(
        range(count), formatted(times, "%Y-%m-%d %H:%M"), *([text_of(v) or "NA" for v in values] for values in numbers.values()), direction, value),
              before=["# Station 42, logger 3", "# calibrated 2022-12-14; o3 in ug/m3"])
    return Table(folder / "station.csv", value, {"station.csv": 0}, label="o3", times=times,
                 numbers={name: values for name, values in numbers.items() if name != "battery"}, categories={"direction": direction})


def milling(_, folder):
    """Parts of a machine, with products and thresholds between their settings, and new tools halfway that turn some around."""
    random, count = np.random.default_rng(21), 16_000
    times = NEW_YEAR + np.cumsum(random.exponential(420, count)).round()
    new = np.arange(count) > .55 * count
    speed, feed, depth, heat = random.normal(1200, 200, count), random.normal(.3, .08, count), random.normal(2, .5, count), random.normal(60, 9, count)
    hum, oil, operator = random.gamma(3, 1, count), random.uniform(0, 1, count), random.choice(["anna", "ben", "chris", "dora", "emil"], count)
    material = random.choice(["steel", "brass", "alu"], count, p=[.5, .2, .3])
    scaled = [(v - v.mean()) / v.std() for v in (speed, feed, depth, heat, hum)]
    score = (-.9 + 1.1 * scaled[0] * scaled[1] * np.where(new, -.7, 1) + 1.4 * (np.abs(scaled[3]) > 1.2) + .9 * (scaled[2] > 1) * (material == "steel") +
             .5 * scaled[4] - .8 * (oil < .15) * np.where(new, -1.5, -1) + .35 * scaled[2] * np.where(new, 1, .2) + random.normal(0, .4, count))
    target = drawn(random, sigmoid(1.3 * score), "defect", "good")
    numbers = {"speed_rpm": speed, "feed_mm": feed, "depth_mm": depth, "heat_c": with_gaps(random, heat, .03), "hum": with_gaps(random, hum, .03), "oil": oil,
               "room_c": random.normal(21, 1, count)}
    write_csv(folder / "parts.csv", ["part", "made_at", *numbers, "material", "operator", "quality"], zip(
        [f"{number:08X}" for number in random.integers(0, 1 << 32, count)], formatted(times, "%Y-%m-%dT%H:%M:%SZ"),
        *([text_of(v, 3) for v in values] for values in numbers.values()), material, operator, target))
    return Table(folder / "parts.csv", target, {"parts.csv": 0}, label="quality", times=times, numbers=numbers,
                 categories={"material": material, "operator": operator})


def feed(_, folder):
    """Users and articles of a news feed: articles come and go, and users differ in what they like."""
    random, count, users, items = np.random.default_rng(22), 24_000, 600, 400
    times = sorted_times(random, count, 45)
    progress = (times - NEW_YEAR) / (45 * DAY)
    born = np.sort(random.uniform(-.3, 1, items))
    user = (random.pareto(1.2, count) * 40).astype(int) % users
    newest = np.searchsorted(born, progress)
    item = (newest - 1 - (random.exponential(35, count)).astype(int)).clip(0)
    topic_of = random.integers(0, 8, items)
    taste, quality, habit = random.normal(0, 1, (users, 8)), random.normal(0, .8, items), random.normal(0, .7, users)
    position = random.integers(1, 21, count).astype(float)
    words = random.integers(100, 2_500, items).astype(float)
    score = (-1.0 + taste[user, topic_of[item]] + quality[item] + habit[user] - .07 * (position - 5) - 2 * (progress - born[item]) +
             random.normal(0, .5, count))
    target = drawn(random, sigmoid(1.5 * score), "1", "0")
    topics = np.array("politics sports science culture money travel food cars".split())[topic_of[item]]
    device = random.choice(["ios", "android", "web"], count)
    write_csv(folder / "impressions.csv", ["ts", "user_id", "item_id", "topic", "words", "position", "device", "clicked"], zip(
        times.astype(int), [f"u{number:05d}" for number in user * 17 % 99_991], [f"a{number:04d}" for number in item * 7], topics,
        words[item].astype(int), position.astype(int), device, target))
    return Table(folder / "impressions.csv", target, {"impressions.csv": 0}, label="clicked", times=times,
                 numbers={"words": words[item], "position": position}, categories={"user": user, "item": item, "topic": topics, "device": device})


TABLES = [churn, clicks, sensors, loans, occupancy, bikes, prices, returns, invoices, ozone, milling, feed]
