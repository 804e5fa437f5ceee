import { randomBytes } from 'node:crypto';
import { escapeHtml } from '../../platform/escape-html.ts';
import type { WordPressLogin } from './wordpress-login.service.ts';

export type Page = { html: string; headers: Record<string, string> };

/** Posts the token to the site at once; the button is for browsers without scripts. The token is in no address. */
export function renderLoginPage({ url, token }: WordPressLogin): Page {
  const { origin, host } = new URL(url);
  const nonce = randomBytes(16).toString('base64');
  const html = renderPage(
    `Logging in to ${host}`,
    `<form method="post" action="${escapeHtml(url)}" id="log-in">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<p>Logging in to ${escapeHtml(host)}…</p>
<button>Continue to ${escapeHtml(host)}</button>
</form>
<script nonce="${nonce}">document.getElementById('log-in').submit();</script>`,
  );
  return { html, headers: headersWith(`script-src 'nonce-${nonce}'; form-action ${origin}`) };
}

/** `message`: what happened, and what to do next. */
export function renderRefusalPage(message: string): Page {
  const html = renderPage(
    'Log-in failed',
    `<h1>Log-in failed</h1>
<p>${escapeHtml(message)}</p>
<p>Close this page to return to Steward.</p>`,
  );
  return { html, headers: headersWith("form-action 'none'") };
}

/** The page loads nothing, and no other page can frame it, read it or learn its address. */
function headersWith(directives: string): Record<string, string> {
  return {
    'content-security-policy': `default-src 'none'; ${directives}; base-uri 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
}

const renderPage = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title></head>
<body><main>${body}</main></body>
</html>
`;
