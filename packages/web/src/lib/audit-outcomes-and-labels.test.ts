import { describe, expect, it } from 'vitest';
import { names, recordOf } from '../../test/worded-record.ts';
import { actionLabel, entityLabel, knownActions, wordsOf } from './audit-words.ts';

describe('what came of it', () => {
  const outcomeOf = (kind: string, context: Record<string, unknown>) =>
    wordsOf(recordOf(kind, { context }), names);

  it('is said of what may fail, with the reason', () => {
    const failed = outcomeOf('remote_site.sync', { outcome: 'failed', error: 'It is gone.' });
    expect(failed).toMatchObject({
      outcome: { kind: 'bad', word: 'failed' },
      reason: 'It is gone.',
    });
    expect(outcomeOf('remote_site.sync', { outcome: 'succeeded' }).outcome?.kind).toBe('good');
    expect(outcomeOf('remote_update.update', { outcome: 'partial' }).outcome?.kind).toBe('part');
    expect(outcomeOf('remote_update.update', { outcome: 'unknown' }).outcome?.word).toBe(
      'answer lost',
    );
  });

  it('is a refusal where somebody was refused, and nothing where it was simply done', () => {
    expect(outcomeOf('sign_in.fail', {}).outcome?.word).toBe('refused');
    expect(outcomeOf('license.suspend', {}).outcome).toBeNull();
  });
});

describe('labels to choose from', () => {
  it('are words, also for what is not known', () => {
    expect(entityLabel('remote_update')).toBe('Updates of sites');
    expect(entityLabel('moon_base')).toBe('Moon base');
    expect(actionLabel('set_limit')).toBe('Set limit');
  });

  it('are only the actions of a kind, when one is chosen', () => {
    expect(knownActions('run')).toEqual(['cancel', 'create']);
    expect(knownActions('nothing')).toEqual([]);
  });
});
