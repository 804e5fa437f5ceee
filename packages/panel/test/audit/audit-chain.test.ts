import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createAuditedDatabase } from './support/audited-database.ts';

describe('the sealer', () => {
  it('appends a link for each record, with the hash of the previous link', async () => {
    const { record, chain, pool } = await createAuditedDatabase();
    await record(3);
    expect(await chain.seal()).toEqual({ sealed: 3, refused: [] });
    const { rows } = await pool.query('SELECT * FROM audit_chain ORDER BY seq');
    expect(rows.map((link) => [link.seq, link.record_id])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(rows[0].previous_hash).toEqual(Buffer.alloc(32));
    expect(rows[1].previous_hash).toEqual(rows[0].hash);
    expect(rows[2].previous_hash).toEqual(rows[1].hash);
    expect(await chain.verify()).toEqual({
      ok: true,
      records: 3,
      head: rows[2].hash.toString('hex'),
      unsealed: 0,
      broken: null,
      unguarded: [],
      expected_head_found: null,
      sealed_head: null,
      detached: null,
    });
  });

  it('provides the head that each new record stores', async () => {
    const { record, chain, pool } = await createAuditedDatabase();
    await record(2);
    await chain.seal();
    await record(1);
    const { rows } = await pool.query(
      `SELECT a.previous_seq, a.previous_hash = c.hash AS fits
       FROM audit_log a LEFT JOIN audit_chain c ON c.seq = a.previous_seq ORDER BY a.id`,
    );
    expect(rows).toEqual([
      { previous_seq: null, fits: null },
      { previous_seq: null, fits: null },
      { previous_seq: 2, fits: true },
    ]);
  });

  it('does nothing without new records', async () => {
    const { record, chain } = await createAuditedDatabase();
    expect(await chain.seal()).toEqual({ sealed: 0, refused: [] });
    await record(1);
    await chain.seal();
    expect(await chain.seal()).toEqual({ sealed: 0, refused: [] });
  });

  it('does not block writers and does not wait for them', async () => {
    const { chain, openWriter, record, sealed } = await createAuditedDatabase();
    // With a lock until the commit, the second writer would never return.
    const writers = [];
    for (const entityId of [11, 12, 13, 14, 15]) writers.push(await openWriter(entityId));
    await record(1);
    expect(await chain.seal()).toEqual({ sealed: 1, refused: [] });
    expect(await chain.verify()).toMatchObject({ ok: true, records: 1 });
    for (const writer of writers) await writer.commit().execute();
    await chain.seal();
    expect((await sealed()).map((link) => link.entity_id)).toEqual([
      '1',
      '11',
      '12',
      '13',
      '14',
      '15',
    ]);
  });

  it('does not block writers while it seals', async () => {
    const { db, chain, record, superuser } = await createAuditedDatabase();
    await record(1);
    // Holds the sealer's own lock, like a slow sealer.
    const slow = await db.startTransaction().execute();
    await sql`SELECT pg_advisory_xact_lock(${0x57e3a7e})`.execute(slow);
    const sealing = chain.seal();
    await expect
      .poll(async () => {
        const { rows } = await superuser.query(
          `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
        );
        return rows.length;
      })
      .toBe(1);
    await record(3);
    await slow.commit().execute();
    expect(await sealing).toEqual({ sealed: 4, refused: [] });
  });

  it('seals a record that becomes visible after records with higher ids', async () => {
    const { chain, openWriter, sealed } = await createAuditedDatabase();
    const early = await openWriter(1);
    const late = await openWriter(2);
    await late.commit().execute();
    await chain.seal();
    await early.commit().execute();
    await chain.seal();
    expect(await sealed()).toEqual([
      { seq: 1, record_id: 2, entity_id: '2' },
      { seq: 2, record_id: 1, entity_id: '1' },
    ]);
    expect(await chain.verify()).toMatchObject({ ok: true, records: 2 });
  });

  it('accepts id gaps of rolled back transactions', async () => {
    const { chain, openWriter, record, sealed } = await createAuditedDatabase();
    await record(1);
    await (await openWriter(2)).rollback().execute();
    await record(1);
    await chain.seal();
    expect((await sealed()).map((link) => [link.seq, link.record_id])).toEqual([
      [1, 1],
      [2, 3],
    ]);
    expect(await chain.verify()).toMatchObject({ ok: true, records: 2 });
  });

  it('seals each record once with concurrent writers and sealers', async () => {
    const { chain, record, sealed } = await createAuditedDatabase();
    const writers = Array.from({ length: 6 }, () => record(20));
    const sealers = Array.from({ length: 3 }, async () => {
      let count = 0;
      for (let round = 0; round < 20; round++) count += (await chain.seal()).sealed;
      return count;
    });
    await Promise.all(writers);
    const counts = await Promise.all(sealers);
    const rest = (await chain.seal()).sealed;
    expect(counts.reduce((sum, count) => sum + count, rest)).toBe(120);
    expect(new Set((await sealed()).map((link) => link.record_id)).size).toBe(120);
    expect(await chain.verify()).toMatchObject({ ok: true, records: 120 });
  });

  it('leaves all records to the next sealer after a crash', async () => {
    const { chain, db, record, superuser } = await createAuditedDatabase();
    await record(3);
    await superuser.query(`
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
      CREATE TRIGGER die AFTER DELETE ON audit_unsealed EXECUTE FUNCTION die()`);
    await expect(chain.seal()).rejects.toThrow();
    await superuser.query('DROP TRIGGER die ON audit_unsealed');
    expect(await db.selectFrom('audit_chain').selectAll().execute()).toEqual([]);
    expect(await chain.seal()).toEqual({ sealed: 3, refused: [] });
    expect(await chain.verify()).toMatchObject({ ok: true, records: 3 });
  });

  it('seals more records than one page holds', async () => {
    const { chain, db, writeRecords } = await createAuditedDatabase();
    const licenses = Array.from({ length: 2500 }, (_, index) => index + 1);
    await db.transaction().execute((trx) => writeRecords(trx, ...licenses));
    expect(await chain.seal()).toEqual({ sealed: 2500, refused: [] });
    expect(await chain.verify()).toMatchObject({ ok: true, records: 2500 });
  });
});

describe('records that are older than the chain', () => {
  it('are added to it', async () => {
    const { chain, record, tamper, executeAsTableOwner } = await createAuditedDatabase();
    await executeAsTableOwner(
      `INSERT INTO audit_log (at, actor, action, entity_type, entity_id, context)
       SELECT now(), 'system', 'create', 'license', n, '{"via": "command_line"}'
       FROM generate_series(1, 1500) n;
       INSERT INTO audit_unsealed (record_id) SELECT id FROM audit_log`,
    );
    await record(1);
    expect(await chain.verify()).toMatchObject({ ok: true, records: 1501 });
    await tamper(`UPDATE audit_log SET entity_id = '8' WHERE id = 7`);
    expect(await chain.verify()).toMatchObject({
      ok: false,
      broken: { record_id: 7, problem: 'record_changed' },
    });
  });
});
