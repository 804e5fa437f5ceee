import type { BulkUpdateResponse } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { DETAILS_MAX_BYTES, truncateDetails } from './stored-details.ts';
import { resultFromBody, toAuditEntry } from './task-outcome.ts';

const createResponse = (items: number, errors: number): BulkUpdateResponse => ({
  success: false,
  results: {
    plugins: Array.from({ length: items }, (_, index) => ({
      slug: `plugin-${index}/${'é'.repeat(100)}.php`,
      new_version: '2.0',
      success: index < items - 1,
    })),
    themes: [{ slug: 'plain', new_version: '1.0', success: true }],
    core: { new_version: '7.0', success: true },
  },
  errors: Array.from({ length: errors }, () => ({
    type: 'plugin' as const,
    slug: 'a/a.php',
    error: 'No room. '.repeat(30),
  })),
});

describe('truncateDetails', () => {
  it('keeps small details unchanged', () => {
    const details = createResponse(50, 50);
    expect(truncateDetails(details)).toBe(details);
  });

  it.each([
    ['items', createResponse(1999, 0)],
    ['errors', createResponse(1, 1900)],
    ['both', createResponse(999, 999)],
  ])('truncates details with many %s and adds a note', (_what, details) => {
    const stored = truncateDetails(details);
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThanOrEqual(DETAILS_MAX_BYTES);
    expect(stored.results.plugins[0]?.success).toBe(false);
    expect(stored.results.core).toEqual(details.results.core);
    const { plugins } = stored.results;
    const shown = plugins.length + stored.results.themes.length;
    expect(stored.errors.at(-1)).toEqual({
      type: 'system',
      slug: null,
      error: `The response was too large to store: showing ${shown} of ${details.results.plugins.length + 1} items.`,
    });
  });

  it('keeps a failed theme before succeeded plugins', () => {
    const details = createResponse(999, 0);
    // Longer than a plugin, so that it does not fit into the rest that the plugins leave.
    const failedTheme = { slug: 'é'.repeat(150), new_version: '1.0', success: false };
    details.results.themes.push(failedTheme);
    const { plugins, themes } = truncateDetails(details).results;
    expect(plugins.length).toBeLessThan(999);
    expect(themes[0]).toEqual(failedTheme);
  });

  it('truncates many translations too', () => {
    const { results, ...response } = createResponse(1, 0);
    const translations = Array.from({ length: 1900 }, (_, index) => ({
      slug: `plugin-${index} ${'é'.repeat(100)}`,
      new_version: '2.0',
      success: true,
    }));
    const stored = truncateDetails({ ...response, results: { ...results, translations } });
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThanOrEqual(DETAILS_MAX_BYTES);
    const shown = (stored.results.translations?.length ?? 0) + 2;
    expect(stored.errors.at(-1)?.error).toBe(
      `The response was too large to store: showing ${shown} of 1902 items.`,
    );
  });

  it('does not affect the counts, which cover all items', () => {
    const result = resultFromBody(200, createResponse(1999, 1));
    expect(result.status).toBe('partial');
    expect(result.details?.results.plugins.length).toBeLessThan(1000);
    const task = { run_id: 1, site_id: 2, kind: 'update' as const, request: {} };
    expect(toAuditEntry(task, result).context).toMatchObject({
      plugins: { updated: 1998, failed: 1 },
      themes: { updated: 1, failed: 0 },
      core: { updated: 1, failed: 0 },
    });
  });
});
