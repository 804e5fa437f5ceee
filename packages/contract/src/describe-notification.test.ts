import { describe, expect, it } from 'vitest';
import { describeDigest, describeNotification } from './describe-notification.ts';
import type { NotificationEvent } from './notification-events.ts';

const SITE = { site_id: 7, site_name: 'Shop', site_url: 'https://shop.example.com' };

describe('describeNotification', () => {
  it('names what happened and the page to open', () => {
    const data = { run_id: 12, sites: 40, failed: 2, unverified: 0, unknown: 1 };
    expect(describeNotification({ type: 'run.finished_with_failures', data })).toEqual({
      subject: 'Run 12 finished with problems on 3 of 40 sites',
      sentences: [
        'Run 12 has finished: 2 sites failed, the result of 1 site is unknown.',
        'Open the run to see the cause on each site and to retry.',
      ],
      path: '/runs/12',
    });
  });

  it('counts partly failed sites apart from failed ones', () => {
    const data = { run_id: 12, sites: 40, failed: 2, unverified: 0, unknown: 0 };
    const sentence = (partly_failed: number) =>
      describeNotification({
        type: 'run.finished_with_failures',
        data: { ...data, partly_failed },
      }).sentences[0];
    expect(sentence(1)).toBe('Run 12 has finished: 1 site failed, 1 site partly failed.');
    expect(sentence(2)).toBe('Run 12 has finished: 2 sites partly failed.');
  });

  it('says why a site is down, and what to check', () => {
    const down = { ...SITE, since: '2026-06-01T12:00:00Z', reason: 'The site is down.' };
    const sentences = (more: object) =>
      describeNotification({ type: 'site.down', data: { ...down, ...more } }).sentences.slice(1);
    expect(sentences({ code: 'site_down', signal: 'application' })).toEqual([
      'Reason: The site is down.',
      'The home page may still load from a cache.',
      'Open the error log of the site. If it started after an update, restore the previous version on the page of the site.',
    ]);
    expect(sentences({ code: 'site_tls_error', signal: 'home' })[1]).toMatch(/^Renew/);
    expect(sentences({})[1]).toBe('Open the site, and check its server and its error log.');
  });

  it('does not count sites whose pages could not be checked as problems', () => {
    const data = { run_id: 12, sites: 40, failed: 2, unverified: 0, unknown: 0, unchecked: 3 };
    const { subject, sentences } = describeNotification({
      type: 'run.finished_with_failures',
      data,
    });
    expect(subject).toBe('Run 12 finished with problems on 2 of 40 sites');
    expect(sentences[0]).toBe(
      'Run 12 has finished: 2 sites failed, pages of 3 sites could not be checked.',
    );
  });

  it('puts no line break and no direction mark of a name into a line', () => {
    const site_name = 'Shop\r\nBcc: all@example.com\u202e\u2028x';
    const data = { ...SITE, site_name, since: '2026-06-01T12:00:00Z', reason: 'a\nb' };
    const { subject, sentences } = describeNotification({ type: 'site.down', data });
    expect(subject).toBe('Site down: Shop Bcc: all@example.com x');
    expect(sentences[0]).toContain('has been down since 1 Jun 2026, 12:00 UTC.');
    expect(sentences[1]).toBe('Reason: a b.');
  });

  it('does not fail on an event of a newer version', () => {
    const event = { type: 'site.new', data: {} } as unknown as NotificationEvent;
    expect(describeNotification(event)).toMatchObject({ subject: 'site.new', path: '/' });
  });

  it('bounds a long text', () => {
    const text = describeNotification({
      type: 'audit.verification_failed',
      data: { reason: 'x'.repeat(100_000) },
    });
    expect(text.sentences.join('').length).toBeLessThan(1000);
  });
});

describe('describeDigest', () => {
  it('lists the first events and counts the others', () => {
    expect(describeDigest(9980, ['Site down: a', 'Site down: b']).sentences).toEqual([
      'Site down: a',
      'Site down: b',
      'And 9,978 others.',
    ]);
  });
});
