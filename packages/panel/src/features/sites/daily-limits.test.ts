import { describe, expect, it } from 'vitest';
import { findExceededLimit } from './daily-limits.ts';

describe('findExceededLimit()', () => {
  it.each([
    [{ changed_reports: 0, audited_changes: 0, error_reports: 0 }, null],
    [{ changed_reports: 200, audited_changes: 50, error_reports: 60 }, null],
    [{ changed_reports: 201, audited_changes: 0, error_reports: 0 }, 'changed_reports'],
    [{ changed_reports: 0, audited_changes: 51, error_reports: 0 }, 'audited_changes'],
    [{ changed_reports: 201, audited_changes: 51, error_reports: 61 }, 'changed_reports'],
    [{ changed_reports: 0, audited_changes: 0, error_reports: 61 }, 'error_reports'],
  ])('%j: %s', (use, limit) => {
    expect(findExceededLimit(use)).toBe(limit);
  });
});
