"""Retrains when a holiday is over, since people behave otherwise on holidays.

    trigger: {type: plugin, use: "holidays.py:Holidays", with: {days: [12-25, 01-01]}}
"""
import datetime

from tidemill import plugin


class Holidays(plugin.Trigger):
    """Fires at the end of each holiday that has samples."""

    version = "1.0"
    days = plugin.Texts(["01-01", "12-25"], doc="Days of the year: MM-DD.")

    def __init__(self):
        for day in self.days:
            datetime.datetime.strptime("2000-" + day, "%Y-%m-%d")  # Rejects a day that does not exist.

    def points(self):
        return plugin.EachCalendar("day")

    def observe(self, evidence):
        # It decides when the day is over, so the day is the one before.
        last = datetime.datetime.fromtimestamp((evidence.at.event_time - 1) // 1_000_000, datetime.timezone.utc)
        return {"month": last.month, "day": last.day, "new": evidence.num_new}

    def judge(self, seen):
        day = f"{int(seen['month']):02}-{int(seen['day']):02}"
        return plugin.Verdict(day in self.days, f"{day} is {'a holiday' if day in self.days else 'not a holiday'}")
