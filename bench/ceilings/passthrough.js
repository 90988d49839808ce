// The smallest worker that forwards: the best that this runtime can do on this machine. ORIGIN means what it means for Baton.
export default {
  fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(env.ORIGIN + pathname + search, request), { redirect: "manual" });
  },
};
