export default function App({ Component, pageProps }) {
  return <main id="swup"><Component {...pageProps} /></main>;
}
