export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <main id="swup">{children}</main>
      </body>
    </html>
  );
}
