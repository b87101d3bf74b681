// Times are rendered in UTC; here they become local, relative to now where that is more useful.

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const STEPS = [["minute", 60], ["hour", 3600], ["day", 86400]];

export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const local = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    time.title = local;
    time.textContent = "relative" in time.dataset ? distance(moment) ?? local : local;
  }
}

function distance(moment) {
  const seconds = (moment.getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) < 60) return relative.format(Math.round(seconds), "second");
  if (Math.abs(seconds) > 7 * 86400) return null;
  const [unit, size] = STEPS.findLast(([, size]) => Math.abs(seconds) >= size);
  return relative.format(Math.round(seconds / size), unit);
}
