// Writes a row of the journal in one call: value by value from wasm it would take forty.

export const store = {
  /** Runs the statement with a row's values. It binds copies of the bytes, which lie in wasm's memory and change there. */
  put(sql, query, version, atMs, wallMs, hash, bytes) {
    sql.exec(query, version, atMs, wallMs, hash.slice(), bytes.slice());
  },
};
