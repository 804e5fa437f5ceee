import { sqlText } from './mariadb.ts';
import { type PhpValue, phpSerialize, phpUnserialize } from './php-serialize.ts';

type Query = (sql: string) => Promise<string[][]>;

/** Reads and writes the options of a site directly in its database, in WordPress's format. */
export function createOptions(query: Query) {
  return {
    /** Returns numbers and booleans as text, as WordPress stores them. */
    async getOption(name: string): Promise<PhpValue | undefined> {
      const [row] = await query(
        `SELECT option_value FROM wp_options WHERE option_name = ${sqlText(name)}`,
      );
      return row && fromStored(row[0] ?? '');
    },
    async setOption(name: string, value: PhpValue): Promise<void> {
      await query(
        `INSERT INTO wp_options (option_name, option_value, autoload)
        VALUES (${sqlText(name)}, ${sqlText(toStored(value))}, 'yes')
        ON DUPLICATE KEY UPDATE option_value = VALUES(option_value)`,
      );
    },
    async deleteOption(name: string): Promise<void> {
      await query(`DELETE FROM wp_options WHERE option_name = ${sqlText(name)}`);
    },
    /** Reads an option of a multisite network. */
    async getNetworkOption(name: string): Promise<PhpValue | undefined> {
      const [row] = await query(
        `SELECT meta_value FROM wp_sitemeta WHERE site_id = 1 AND meta_key = ${sqlText(name)}`,
      );
      return row && fromStored(row[0] ?? '');
    },
    async setNetworkOption(name: string, value: PhpValue): Promise<void> {
      await query(
        `DELETE FROM wp_sitemeta WHERE site_id = 1 AND meta_key = ${sqlText(name)};
        INSERT INTO wp_sitemeta (site_id, meta_key, meta_value)
        VALUES (1, ${sqlText(name)}, ${sqlText(toStored(value))})`,
      );
    },
  };
}

function toStored(value: PhpValue): string {
  if (value === null || value === false) return '';
  if (value === true) return '1';
  return typeof value === 'object' ? phpSerialize(value) : String(value);
}

function fromStored(stored: string): PhpValue {
  return /^([aO]:\d+:|[sid]:|b:[01];|N;)/.test(stored) ? phpUnserialize(stored) : stored;
}
