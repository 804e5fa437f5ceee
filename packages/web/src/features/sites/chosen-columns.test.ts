import { describe, expect, it } from 'vitest';
import { chooseColumns, toggleColumn } from './chosen-columns.ts';

const ALL = ['name', 'status', 'php', 'license'].map((id) => ({ id, label: id, cell: () => null }));
const USUAL = ['name', 'status', 'php'];

describe('the chosen columns', () => {
  it('always have the name, in the order of the table, each with a width', () => {
    const chosen = chooseColumns(ALL, 'license,status');
    expect(chosen?.columns.map(({ id }) => id)).toEqual(['name', 'status', 'license']);
    expect(chosen?.widths.match(/minmax/g)).toHaveLength(3);
  });

  it('are none without a known word', () => {
    expect([chooseColumns(ALL, undefined), chooseColumns(ALL, 'nothing')]).toEqual([null, null]);
  });

  it('change with a click, and leave the URL with the usual ones', () => {
    expect(toggleColumn(USUAL, 'license', USUAL)).toBe('name,status,php,license');
    expect(toggleColumn(USUAL, 'php', USUAL)).toBe('name,status');
    expect(toggleColumn(['name', 'status'], 'php', USUAL)).toBeUndefined();
  });
});
