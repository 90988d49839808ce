// What differs between databases: how a statement marks its values, and what a row that is there already makes of an insert.
//
// `database` is `"sqlite"`, `"postgresql"` or `"mysql"`, which MariaDB is too. Any other name is refused.

const MARKS = { sqlite: () => "?", postgresql: (at) => `$${at}`, mysql: () => "?" };

/** The mark of the value at a place, counted from 1, as the database's drivers have it. */
export function marksOf(database) {
  if (!Object.hasOwn(MARKS, database))
    throw new TypeError(`the database ${JSON.stringify(database)} is none of ${Object.keys(MARKS).join(", ")}; name one of them`);
  return MARKS[database];
}
