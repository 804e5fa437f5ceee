import { hash } from 'node:crypto';
import {
  CALL_LOG_REPORT_MAX,
  CALL_LOG_START,
  type CallLogEntry,
  type CallLogReport,
  textOfLoggedCall,
} from '@steward/contract';
import { describe, expect, it } from 'vitest';
import { judgeCallLog } from './judge-call-log.ts';

const OWN = 'a'.repeat(32);
const FOREIGN = 'b'.repeat(32);
const START = { sequence: 0, hash: CALL_LOG_START };
const NOW = new Date('2026-06-01T12:00:00Z');
const MINUTE = 60_000;

/** A log of calls with these nonces, going on after another. */
function logOf(nonces: (string | null)[], before: CallLogEntry[] = []): CallLogEntry[] {
  const log = [...before];
  for (const nonce of nonces) {
    const { sequence, hash: previous } = log.at(-1) ?? START;
    const route = '/service/v1/remote/update';
    const call = { sequence: sequence + 1, timestamp: 1, route, body_sha256: OWN + OWN, nonce };
    log.push({ ...call, hash: hash('sha256', textOfLoggedCall(previous, call), 'hex') });
  }
  return log;
}
const own = (count: number, before: CallLogEntry[] = []) => logOf(Array(count).fill(OWN), before);
const positionOf = ({ sequence, hash }: CallLogEntry | typeof START) => ({ sequence, hash });
const headOf = (log: CallLogEntry[]) => positionOf(log.at(-1) ?? START);

/** As a site reports it that believes to have reported up to `after`. */
function reportOf(log: CallLogEntry[], after: number): CallLogReport {
  const entries = log.filter(({ sequence }) => sequence > after).slice(0, CALL_LOG_REPORT_MAX);
  return { head: headOf(log), after, entries };
}

function judge(known: CallLogEntry[] | null, report: CallLogReport | null, minutesLater = 60) {
  const at = new Date(NOW.getTime() - minutesLater * MINUTE);
  const isOwnCall = ({ nonce }: CallLogEntry) => nonce === OWN;
  const { acknowledged, foreign, isChanged } = judgeCallLog(
    known && { ...headOf(known), at },
    report,
    { isOwnCall, now: NOW },
  );
  const sequences = foreign.map(({ sequence }) => sequence);
  return { acknowledged: acknowledged && positionOf(acknowledged), sequences, isChanged };
}
const good = (log: CallLogEntry[]) => ({
  acknowledged: headOf(log),
  sequences: [],
  isChanged: false,
});

const three = own(3);
const five = own(2, three);

describe('a log of calls', () => {
  it('is good when it goes on with calls of the panel, or has none', () => {
    expect(judge([], reportOf([], 0))).toEqual(good([]));
    expect(judge([], reportOf(three, 0))).toEqual(good(three));
    expect(judge(three, reportOf(three, 3))).toEqual(good(three));
    expect(judge(three, reportOf(five, 3))).toEqual(good(five));
  });

  it('begins with the first report', () => {
    expect(judge(null, reportOf(logOf([FOREIGN]), 0))).toEqual(good(logOf([FOREIGN])));
    expect(judge(null, null)).toEqual({ acknowledged: null, sequences: [], isChanged: false });
  });

  it('has foreign calls, with or without a signature', () => {
    const log = logOf([FOREIGN, OWN, null], three);
    expect(judge(three, reportOf(log, 3))).toEqual({ ...good(log), sequences: [4, 6] });
  });

  it('is read in several reports when it is long', () => {
    const log = own(CALL_LOG_REPORT_MAX + 1);
    const part = log.slice(0, CALL_LOG_REPORT_MAX);
    expect(judge([], reportOf(log, 0))).toEqual(good(part));
    expect(judge(part, reportOf(log, CALL_LOG_REPORT_MAX))).toEqual(good(log));
  });

  it('may be known to the site as less, or more, than the panel has of it', () => {
    expect(judge(three, reportOf(five, 0))).toEqual(good(five));
    expect(judge(three, reportOf(five, 4))).toEqual(good(three));
    const log = own(CALL_LOG_REPORT_MAX + 1);
    expect(judge(log, reportOf(own(1, log), 0))).toEqual(good(log));
  });

  it('has gone back, unless another report has overtaken this one', () => {
    expect(judge(five, reportOf(three, 3), 1)).toEqual(good(five));
    expect(judge(five, reportOf(three, 3), 3)).toEqual({ ...good(three), isChanged: true });
    expect(judge(five, reportOf([], 0), 3)).toEqual({ ...good([]), isChanged: true });
  });

  it.each<[string, CallLogReport | null]>([
    ['cannot be read', null],
    ['has another last call', reportOf(logOf([OWN, FOREIGN], own(1)), 3)],
    ['goes on after another call', reportOf(own(2, logOf([FOREIGN], own(2))), 3)],
    ['misses a call', { ...reportOf(five, 3), entries: five.slice(4) }],
    ['misses the last calls', { ...reportOf(five, 3), entries: five.slice(3, 4) }],
    ['has all calls but the ones that are new', { ...reportOf(five, 3), entries: [] }],
    ['has another head', { ...reportOf(five, 3), head: { sequence: 5, hash: CALL_LOG_START } }],
    [
      'has a call with another body',
      {
        ...reportOf(five, 3),
        entries: five.slice(3).map((entry) => ({ ...entry, body_sha256: FOREIGN + FOREIGN })),
      },
    ],
  ])('is changed when it %s', (_, report) => {
    expect(judge(three, report)).toMatchObject({ isChanged: true });
  });

  it('is looked through for foreign calls also when it was changed', () => {
    const log = logOf([OWN, FOREIGN], logOf([FOREIGN], own(2)));
    const expected = { acknowledged: headOf(log), sequences: [5], isChanged: true };
    expect(judge(three, reportOf(log, 3))).toEqual(expected);
  });
});
