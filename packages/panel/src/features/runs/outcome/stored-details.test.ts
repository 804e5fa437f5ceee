import type { BulkUpdateResponse } from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { DETAILS_MAX_BYTES, detailsToStore } from './stored-details.ts';
import { resultOfAnswer, taskAudit } from './task-outcome.ts';

const answer = (items: number, errors: number): BulkUpdateResponse => ({
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

describe('the details of a task', () => {
  it('are stored as they are when they are small', () => {
    const details = answer(50, 50);
    expect(detailsToStore(details)).toBe(details);
  });

  it.each([
    ['items', answer(1999, 0)],
    ['errors', answer(1, 1900)],
    ['both', answer(999, 999)],
  ])('are cut when they have many %s, and say so', (_what, details) => {
    const stored = detailsToStore(details);
    expect(Buffer.byteLength(JSON.stringify(stored))).toBeLessThanOrEqual(DETAILS_MAX_BYTES);
    expect(stored.results.plugins[0]?.success).toBe(false);
    expect(stored.results.core).toEqual(details.results.core);
    const { plugins } = stored.results;
    const shown = plugins.length + stored.results.themes.length;
    expect(stored.errors.at(-1)).toEqual({
      type: 'system',
      slug: null,
      error: `The answer was too large to be stored: ${shown} of ${details.results.plugins.length + 1} items are shown.`,
    });
  });

  it('are counted before they are cut', () => {
    const result = resultOfAnswer(200, answer(1999, 1));
    expect(result.status).toBe('partial');
    expect(result.details?.results.plugins.length).toBeLessThan(1000);
    const task = { run_id: 1, site_id: 2, kind: 'update' as const, request: {} };
    expect(taskAudit(task, result).context).toMatchObject({
      plugins: { updated: 1998, failed: 1 },
      themes: { updated: 1, failed: 0 },
      core: { updated: 1, failed: 0 },
    });
  });
});
