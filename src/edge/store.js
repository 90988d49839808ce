// A row of the journal in one call: bound value by value from wasm it takes forty.

export const store = {
  /** Runs the statement with a row's values. The bytes lie in wasm's memory, which goes on: what is bound is a copy. */
  put(sql, query, version, atMs, wallMs, hash, bytes) {
    sql.exec(query, version, atMs, wallMs, hash.slice(), bytes.slice());
  },
};
