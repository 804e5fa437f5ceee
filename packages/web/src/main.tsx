import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, redirectOnAuthErrors } from './app/app.tsx';
import { createAppRouter } from './app/router.tsx';

const router = createAppRouter();
redirectOnAuthErrors(router);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App router={router} />
  </StrictMode>,
);
