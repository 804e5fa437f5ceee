import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, leaveWhenSignedOut } from './app/app.tsx';
import { createAppRouter } from './app/router.tsx';

const router = createAppRouter();
leaveWhenSignedOut(router);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App router={router} />
  </StrictMode>,
);
