import { describe, expect, it } from 'vitest';
import { describeSiteProblem } from './describe-site-problem.ts';

const site = (status: string, fault: { code: string; error: string } | null = null) =>
  describeSiteProblem({ status, fault, license: { status: 'expired' } });

describe('describeSiteProblem', () => {
  it('shows the error of the last call and explains it', () => {
    expect(site('failing', { code: 'action_failed', error: 'Why.' })).toEqual({
      title: 'Why.',
      meaning: 'The old version is still running, if the error names no failed rollback.',
      next: ['retry', 'sync', 'open_site'],
    });
    expect(site('failing', { code: 'delete_failed', error: 'Why.' })).toEqual({
      title: 'Why.',
      meaning:
        'The plugin may be deactivated and its data removed. Its files are still on the site.',
      next: ['sync', 'open_site'],
    });
  });

  it.each([
    ['not_reachable', 'Steward can’t reach this site. It may still be online for visitors.'],
    ['stale', 'The data shown here may be outdated. Sync the site to refresh it.'],
  ])('explains the status %s', (status, meaning) => {
    expect(site(status)?.meaning).toBe(meaning);
  });

  it.each([
    ['license_invalid', 'suspended', /resume the license, or connect the site with another one/],
    ['license_invalid', 'expired', /extend the license, or connect the site with another one/],
    ['deactivated', 'revoked', /connect it with another license in the plugin’s settings/],
    ['deactivated', 'active', /To manage it again, connect it in the plugin’s settings/],
  ])('states the next step for the status %s and a license that is %s', (status, license, step) => {
    const problem = describeSiteProblem({ status, fault: null, license: { status: license } });
    expect(problem?.meaning).toMatch(step);
    expect(problem?.next.includes('license')).toBe(license !== 'active');
  });

  it('names the time without contact', () => {
    expect(site('stale')?.title).toBe(
      'Steward has had no contact with this site for at least 3 days.',
    );
  });

  it('returns null for a site without a problem', () => {
    expect(site('up_to_date')).toBeNull();
  });
});
