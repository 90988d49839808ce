// Ed25519 signatures, checked by the platform. A key that the platform does not accept has signed nothing.

export const signatures = {
  /** Whether `key` (a raw public key) made `signature` of `signed`. */
  async ed25519(key, signature, signed) {
    try {
      const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
      return await crypto.subtle.verify("Ed25519", imported, signature, signed);
    } catch {
      return false;
    }
  },
};
