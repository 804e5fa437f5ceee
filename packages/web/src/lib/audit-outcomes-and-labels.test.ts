import { describe, expect, it } from 'vitest';
import { names, recordOf } from '../../test/audit-record.ts';
import { actionLabel, describeRecord, entityLabel, knownActions } from './describe-audit-record.ts';

describe('outcome of a record', () => {
  const outcomeOf = (kind: string, context: Record<string, unknown>) =>
    describeRecord(recordOf(kind, { context }), names);

  it('is given for actions that can fail, with the reason', () => {
    const failed = outcomeOf('remote_site.sync', { outcome: 'failed', error: 'It is gone.' });
    expect(failed).toMatchObject({
      outcome: { kind: 'bad', word: 'Failed' },
      reason: 'It is gone.',
    });
    expect(outcomeOf('remote_site.sync', { outcome: 'succeeded' }).outcome?.kind).toBe('good');
    expect(outcomeOf('remote_update.update', { outcome: 'partial' }).outcome?.kind).toBe('partial');
    expect(outcomeOf('remote_update.update', { outcome: 'unknown' }).outcome?.word).toBe('Unknown');
  });

  it('is a refusal after a refused sign-in, and missing for actions that always succeed', () => {
    expect(outcomeOf('sign_in.fail', {}).outcome?.word).toBe('Refused');
    expect(outcomeOf('license.suspend', {}).outcome).toBeNull();
  });
});

describe('labels of the filters', () => {
  it('are readable, also for unknown names', () => {
    expect(entityLabel('remote_update')).toBe('Site updates');
    expect(entityLabel('moon_base')).toBe('Moon base');
    expect(actionLabel('set_limit')).toBe('Set limit');
  });

  it('contain only the actions of the chosen type', () => {
    expect(knownActions('run')).toEqual(['cancel', 'create']);
    expect(knownActions('nothing')).toEqual([]);
  });
});
