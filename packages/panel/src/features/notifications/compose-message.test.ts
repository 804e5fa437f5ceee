import { describe, expect, it } from 'vitest';
import { composeMessage, toEmail, toSlackBody } from './compose-message.ts';

const HOSTILE = 'A & B\r\nBcc: x@example.com <!channel> "<img src=x onerror=alert(1)>\'';

const event = {
  type: 'site.down',
  data: {
    site_id: 1,
    site_name: HOSTILE,
    site_url: 'https://shop.example.com',
    since: '2026-06-01T12:00:00Z',
    reason: HOSTILE,
  },
  created_at: new Date('2026-06-01T12:00:00Z'),
} as const;
const message = composeMessage('site.down', [event], {
  now: new Date('2026-06-01T12:05:00Z'),
  panelUrl: 'https://panel.example.com',
});

describe('a message about a site with a hostile name', () => {
  it('has no element of the name in the HTML of an e-mail, and one line as its subject', () => {
    const { subject, html } = toEmail(message);
    expect(subject).not.toMatch(/[\r\n]/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&#39;');
    expect(html).toContain('A &amp; B Bcc: x@example.com');
    expect(
      html.match(/<(?!\/?(p|small)>|a href="https:\/\/panel\.example\.com\/|\/a>)/g),
    ).toBeNull();
  });

  it('mentions no channel in Slack, and has one link', () => {
    const { text } = JSON.parse(toSlackBody(message));
    expect(text.match(/<[^>]*>/g)).toEqual(['<https://panel.example.com/sites/1|Open in Steward>']);
    expect(text).toContain('&lt;!channel&gt;');
  });
});
