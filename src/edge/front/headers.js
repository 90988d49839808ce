// Headers in one step. Each call between wasm and JavaScript costs about as much as ten lines here, and a request has a
// dozen headers: so they cross all at once, as lines. No header holds a line break.

export const headers = {
  /** Method, address, then name and value of every header, each a line. */
  read(request) {
    let text = `${request.method}\n${request.url}`;
    for (const [name, value] of request.headers) text += `\n${name}\n${value}`;
    return text;
  },

  /** The names of an answer's headers, lower case, each a line. */
  names(response) {
    let text = "";
    for (const name of response.headers.keys()) text += `${name}\n`;
    return text;
  },

  /** Changes a request's headers: name and value in turn, each a line. An empty value takes the header away. */
  change(request, lines) {
    const { headers } = request;
    const parts = lines.split("\n");
    for (let at = 0; at + 1 < parts.length; at += 2) {
      if (parts[at + 1] === "") headers.delete(parts[at]);
      else headers.set(parts[at], parts[at + 1]);
    }
  },
};
