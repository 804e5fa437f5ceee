import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The panel that `npm run dev` proxies to. In production, the panel itself serves the screens. */
const PANEL = process.env.PANEL_URL ?? 'http://localhost:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // The manifest names the files of each page: `scripts/page-sizes.ts` adds up their sizes.
  build: { target: 'es2023', reportCompressedSize: false, manifest: 'manifest.json' },
  server: {
    proxy: Object.fromEntries(
      ['/panel', '/auth', '/remote', '/api'].map((path) => [path, { target: PANEL }]),
    ),
  },
});
