// The path that arrived is the path that is checked.
export default { skipProxyUrlNormalize: true, skipTrailingSlashRedirect: true, turbopack: { root: import.meta.dirname } };
