// How the present epoch went: columns of the same length, the last being now.

const MAX_POINTS = 1200;
const NESTED = ["plays", "reasons"];

export class Series {
  #columns;

  constructor(columns) {
    this.load(columns);
  }

  /** Begin with what the service has kept. */
  load(columns) {
    const epoch = columns.epoch.at(-1);
    const first = columns.epoch.indexOf(epoch);
    this.#columns = mapColumns(columns, (values) => values.slice(first));
  }

  /** Add one more point: columns of length one. */
  append(point) {
    const columns = this.#columns;
    if (point.epoch[0] !== columns.epoch[0]) {
      this.#columns = point;
      return;
    }
    const decided = point.decisions[0] !== columns.decisions.at(-1);
    // The last row is that of the last decision, whenever its rewards come.
    const row = decided ? point : { ...point, time: [columns.time.at(-1)] };
    this.#columns = joined(columns, row, decided ? this.length : this.length - 1);
    if (this.length > MAX_POINTS) this.#thin();
  }

  #thin() {
    const last = this.length - 1;
    const kept = (_, index) => index % 2 === 0 || index === last;
    this.#columns = mapColumns(this.#columns, (values) => values.filter(kept));
  }

  get length() {
    return this.#columns.decisions.length;
  }

  /** Whether there is a decision to show. */
  get isEmpty() {
    return this.#columns.decisions.at(-1) === 0;
  }

  get columns() {
    return this.#columns;
  }
}

function mapColumns(columns, change) {
  const apply = ([name, value]) => [
    name, NESTED.includes(name) ? mapColumns(value, change) : change(value),
  ];
  return Object.fromEntries(Object.entries(columns).map(apply));
}

/** The first `keep` values of each column, and the point. A column that one of them lacks is zero. */
function joined(columns, point, keep) {
  const names = new Set([...Object.keys(columns), ...Object.keys(point)]);
  const join = (name) => {
    if (NESTED.includes(name)) return [name, joined(columns[name], point[name], keep)];
    const before = columns[name]?.slice(0, keep) ?? new Array(keep).fill(0);
    return [name, [...before, name in point ? point[name][0] : 0]];
  };
  return Object.fromEntries([...names].map(join));
}
