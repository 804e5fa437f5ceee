import { describe, expect, it } from 'vitest';
import { renderLoginPage, renderRefusalPage } from './login-page.ts';

const login = {
  url: 'https://shop.example.com/wp-admin/admin-post.php?action=steward_login',
  token: 'ab'.repeat(32),
};

describe('the page that posts the token', () => {
  const { html, headers } = renderLoginPage(login);

  it('posts to the address of the site only, with the token in the body', () => {
    expect(html).toContain(`<form method="post" action="${login.url}" id="log-in">`);
    expect(html).toContain(`<input type="hidden" name="token" value="${login.token}">`);
    expect(html.split(login.token)).toHaveLength(2);
    const csp = headers['content-security-policy'];
    expect(csp).toMatch(
      /^default-src 'none'; script-src 'nonce-[\w+/=]+'; form-action https:\/\/shop\.example\.com; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it('has a new nonce for its script, and a button for browsers without scripts', () => {
    const nonceOf = (csp = '') => /'nonce-([^']+)'/.exec(csp)?.[1] ?? '';
    const nonce = nonceOf(headers['content-security-policy']);
    expect(html).toContain(`<script nonce="${nonce}">`);
    expect(html).toContain('<button>Continue to shop.example.com</button>');
    const other = renderLoginPage(login).headers['content-security-policy'];
    expect(nonceOf(other)).not.toBe(nonce);
  });

  it('sends no referrer and is not stored', () => {
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  it('escapes what the site sends', () => {
    const url = 'https://shop.example.com/?a="><script>alert(1)</script>&b=\'';
    const { html } = renderLoginPage({ url, token: login.token });
    expect(html).not.toContain('<script>alert');
    expect(html).toContain(
      'action="https://shop.example.com/?a=&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;b=&#39;"',
    );
  });
});

describe('the page of a refused log-in', () => {
  it('shows the reason, escaped, and has no form', () => {
    const { html, headers } = renderRefusalPage('The <b>site</b> is off.');
    expect(html).toContain('The &lt;b&gt;site&lt;/b&gt; is off.');
    expect(html).not.toContain('<form');
    expect(headers['content-security-policy']).toContain("form-action 'none'");
  });
});
