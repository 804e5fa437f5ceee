import { describe, expect, it } from 'vitest';
import { createAuditedDatabase } from '../audit/support/audited-database.ts';

/** Creates ten sealed records, which the tests tamper with. */
async function createSealedRecords() {
  const database = await createAuditedDatabase();
  await database.record(5);
  await database.chain.seal();
  await database.record(5);
  await database.chain.seal();
  return database;
}

const COLUMNS = 'at, actor, action, entity_type, entity_id, context, previous_seq, previous_hash';
const FORGED_RECORD = `INSERT INTO audit_log (id, ${COLUMNS}) OVERRIDING SYSTEM VALUE
                       SELECT 1000, ${COLUMNS} FROM audit_log WHERE id = 3`;
const MARK_ALL_UNSEALED = `INSERT INTO audit_unsealed SELECT record_id, record_hash FROM audit_chain`;

describe('audit verify', () => {
  for (const [what, statements, recordId, problem] of [
    ['a changed actor', [`UPDATE audit_log SET actor = '7' WHERE id = 4`], 4, 'record_changed'],
    [
      'a time moved by a microsecond',
      [`UPDATE audit_log SET at = at + interval '1 microsecond' WHERE id = 4`],
      4,
      'record_changed',
    ],
    [
      'another notation of the same number',
      [`UPDATE audit_log SET context = '{"to": 5.0, "via": "command_line"}' WHERE id = 4`],
      4,
      'record_changed',
    ],
    ['a changed id', ['UPDATE audit_log SET id = DEFAULT WHERE id = 4'], 4, 'record_removed'],
    ['a removed record', ['DELETE FROM audit_log WHERE id = 4'], 4, 'record_removed'],
    [
      'two swapped records',
      [
        `UPDATE audit_log a SET entity_id = b.entity_id FROM audit_log b
         WHERE (a.id, b.id) IN ((4, 6), (6, 4))`,
      ],
      4,
      'record_changed',
    ],
    ['a record inserted at the end', [FORGED_RECORD], 1000, 'not_in_chain'],
    [
      'a record inserted before all others',
      [FORGED_RECORD.replace('1000', '-3')],
      -3,
      'not_in_chain',
    ],
    [
      'a record inserted with the mark of another',
      [
        FORGED_RECORD,
        'INSERT INTO audit_unsealed SELECT 1000, record_hash FROM audit_chain WHERE seq = 3',
      ],
      1000,
      'record_forged',
    ],
    [
      'a record inserted as one from before the chain',
      [FORGED_RECORD.replace('1000', '-3'), 'INSERT INTO audit_unsealed VALUES (-3, NULL)'],
      -3,
      'record_forged',
    ],
    [
      'a record inserted with its own link',
      [
        FORGED_RECORD,
        'INSERT INTO audit_chain SELECT 11, 1000, record_hash, hash, hash FROM audit_chain WHERE seq = 10',
      ],
      1000,
      'link_changed',
    ],
    [
      'a record inserted with a link before the first',
      [
        FORGED_RECORD,
        'INSERT INTO audit_chain SELECT 0, 1000, record_hash, hash, hash FROM audit_chain WHERE seq = 10',
      ],
      1000,
      'link_missing',
    ],
    [
      'a changed hash in a link',
      [`UPDATE audit_chain SET hash = sha256('x') WHERE seq = 4`],
      4,
      'link_changed',
    ],
    [
      'a link with a wrong previous hash',
      [`UPDATE audit_chain SET previous_hash = sha256('x') WHERE seq = 4`],
      4,
      'link_changed',
    ],
    ['a removed link', ['DELETE FROM audit_chain WHERE seq = 4'], 4, 'not_in_chain'],
    [
      'the removed link of the last record',
      ['DELETE FROM audit_chain WHERE seq = 10'],
      10,
      'not_in_chain',
    ],
    [
      'a record removed with its link',
      ['DELETE FROM audit_chain WHERE seq = 4', 'DELETE FROM audit_log WHERE id = 4'],
      5,
      'link_missing',
    ],
    [
      'the first records removed with their links',
      ['DELETE FROM audit_chain WHERE seq <= 2', 'DELETE FROM audit_log WHERE id <= 2'],
      3,
      'link_missing',
    ],
    [
      'a record removed with its link and the others renumbered',
      [
        'DELETE FROM audit_chain WHERE seq = 4',
        'DELETE FROM audit_log WHERE id = 4',
        'UPDATE audit_chain SET seq = -seq WHERE seq > 4',
        'UPDATE audit_chain SET seq = -seq - 1 WHERE seq < 0',
      ],
      5,
      'link_changed',
    ],
    [
      'a record inserted with the id of another one, in another month',
      [FORGED_RECORD.replace('SELECT 1000, at', "SELECT 3, at + interval '2 years'")],
      3,
      'id_repeated',
    ],
    // The sealer links the remaining records again, with hashes that are valid on their own.
    [
      'a record removed and all later ones marked for sealing again',
      [
        MARK_ALL_UNSEALED,
        'DELETE FROM audit_unsealed WHERE record_id <= 4',
        'DELETE FROM audit_chain WHERE seq >= 4',
        'DELETE FROM audit_log WHERE id = 4',
      ],
      6,
      'chain_remade',
    ],
  ] as const) {
    it(`finds ${what}`, async () => {
      const { chain, tamper } = await createSealedRecords();
      await tamper(...statements);
      const { ok, broken } = await chain.verify();
      expect({ ok, broken }).toEqual({
        ok: false,
        broken: {
          record_id: recordId,
          problem,
          seq: broken?.seq,
          message: expect.stringMatching(`^Audit verification failed at record ${recordId}: .+`),
        },
      });
    });
  }

  it('names the first of several changes', async () => {
    const { chain, tamper } = await createSealedRecords();
    await tamper(
      `UPDATE audit_log SET actor = '7' WHERE id IN (4, 8)`,
      FORGED_RECORD.replace('1000', '-3'),
    );
    expect(await chain.verify()).toMatchObject({ broken: { record_id: -3 } });
  });

  it('ignores an unsealed mark of a sealed record', async () => {
    const { chain, tamper, pool } = await createSealedRecords();
    await tamper(MARK_ALL_UNSEALED);
    expect(await chain.verify()).toMatchObject({ ok: true, records: 10 });
    expect((await pool.query('SELECT FROM audit_unsealed')).rowCount).toBe(0);
  });

  describe('before a record is sealed', () => {
    it('finds a changed record and seals the other records', async () => {
      const { chain, record, tamper } = await createAuditedDatabase();
      await record(3);
      await tamper(`UPDATE audit_log SET actor = '7' WHERE id = 2`);
      expect(await chain.seal()).toEqual({ sealed: 2, refused: [2] });
      expect(await chain.verify()).toMatchObject({
        ok: false,
        records: 2,
        broken: { record_id: 2, seq: null, problem: 'record_forged' },
      });
    });

    it('finds a removed record', async () => {
      const { chain, record, tamper } = await createAuditedDatabase();
      await record(3);
      await tamper('DELETE FROM audit_log WHERE id = 2');
      expect(await chain.verify()).toMatchObject({
        broken: { record_id: 2, problem: 'record_removed' },
      });
    });
  });

  describe('with an expected head', () => {
    it('passes if the chain has grown since', async () => {
      const { chain, record } = await createSealedRecords();
      const { head } = await chain.verify();
      await record(1);
      expect(await chain.verify({ expectedHead: head ?? '' })).toMatchObject({
        ok: true,
        records: 11,
        expected_head_found: true,
      });
    });

    it('detects a truncated chain, which the database alone does not show', async () => {
      const { chain, record, tamper } = await createSealedRecords();
      const { head } = await chain.verify();
      await tamper('DELETE FROM audit_chain WHERE seq > 8', 'DELETE FROM audit_log WHERE id > 8');
      expect(await chain.verify()).toMatchObject({ ok: true, records: 8 });
      const expected = { ok: false, broken: null, expected_head_found: false };
      expect(await chain.verify({ expectedHead: head ?? '' })).toMatchObject(expected);
      await record(2);
      expect(await chain.verify({ expectedHead: head ?? '' })).toMatchObject(expected);
    });
  });
});

describe('audit_log and audit_chain', () => {
  const CHANGES = ['audit_log', 'audit_chain'].flatMap((table) => [
    `UPDATE ${table} SET previous_hash = NULL`,
    `DELETE FROM ${table}`,
    `TRUNCATE ${table}`,
  ]);

  it.each(CHANGES)('refuse %s by the panel, their owner and a superuser', async (statement) => {
    const { pool, executeAsTableOwner, superuser } = await createSealedRecords();
    await expect(pool.query(statement)).rejects.toThrow('permission denied');
    await expect(executeAsTableOwner(statement)).rejects.toThrow('append-only');
    await expect(superuser.query(statement)).rejects.toThrow('append-only');
    const asReplica = `SET LOCAL session_replication_role = replica; ${statement}`;
    await expect(superuser.query(`BEGIN; ${asReplica}; COMMIT`)).rejects.toThrow('append-only');
  });

  for (const [how, statement, tables] of [
    ['disabled', 'ALTER TABLE audit_log DISABLE TRIGGER USER', ['audit_log']],
    ['disabled', 'ALTER TABLE audit_chain DISABLE TRIGGER USER', ['audit_chain']],
    [
      'disabled for replicas',
      'ALTER TABLE audit_chain ENABLE TRIGGER audit_chain_append_only',
      ['audit_chain'],
    ],
    ['dropped', 'DROP TRIGGER audit_chain_append_only ON audit_chain', ['audit_chain']],
    [
      'reduced to DELETE',
      `DROP TRIGGER audit_log_append_only ON audit_log;
       CREATE TRIGGER audit_log_append_only BEFORE DELETE ON audit_log
         EXECUTE FUNCTION refuse_audit_change();
       ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_append_only`,
      ['audit_log'],
    ],
    [
      'replaced by an empty function',
      `CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql
       AS 'BEGIN RETURN NULL; END'`,
      expect.arrayContaining(['audit_log', 'audit_chain', 'audit_checkpoints', 'audit_log_first']),
    ],
    [
      'disabled on one partition',
      'ALTER TABLE audit_log_default DISABLE TRIGGER audit_log_append_only',
      ['audit_log_default'],
    ],
  ] as const) {
    it(`are reported in \`unguarded\` if their trigger is ${how}: ${statement}`, async () => {
      const { chain, executeAsTableOwner } = await createSealedRecords();
      await executeAsTableOwner(statement);
      expect(await chain.verify()).toMatchObject({ ok: false, broken: null, unguarded: tables });
    });
  }
});
