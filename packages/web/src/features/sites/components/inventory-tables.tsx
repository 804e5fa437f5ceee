import { Group, Table, Title, VisuallyHidden } from '@mantine/core';
import { CORE_SLUG, compareNames, type Inventory, type SiteDetails } from '@steward/contract';
import { EmptyState } from '../../../components/empty-state.tsx';
import { SoftwareLink } from '../../../components/software-link.tsx';
import { StatusLabel } from '../../../components/status-label.tsx';
import { Version } from '../../../components/version.tsx';
import { siteMessages } from '../../../messages/site.ts';
import styles from './inventory-tables.module.css';
import { ItemNotes } from './item-notes.tsx';
import { PluginRow } from './plugin-row.tsx';
import { RestoreThemeButton } from './restore-theme-button.tsx';
import { UpdateItemButton } from './update-item-button.tsx';

const messages = siteMessages.inventory;

/** The installed plugins, themes and core. Items with updates come first. */
export function InventoryTables({ site }: { site: SiteDetails }) {
  const { inventory } = site;
  if (!inventory) {
    return <EmptyState title={messages.emptyTitle}>{messages.empty}</EmptyState>;
  }
  return (
    <>
      <Plugins site={site} plugins={inventory.plugins} />
      <Themes site={site} themes={inventory.themes} />
      <section className={styles.section} aria-label={messages.core}>
        <Title order={2}>{messages.core}</Title>
        <Group mt={4}>
          <Version from={inventory.core.version} to={inventory.core.new_version} />
          <UpdateItemButton
            site={site}
            item={{ type: 'core', slug: CORE_SLUG }}
            name={messages.core}
            newVersion={inventory.core.new_version}
          />
        </Group>
        <ItemNotes
          site={site}
          item={{ type: 'core', slug: CORE_SLUG }}
          autoUpdate={inventory.core.auto_update}
        />
      </section>
    </>
  );
}

function Plugins({ site, plugins }: { site: SiteDetails; plugins: Inventory['plugins'] }) {
  return (
    <section className={styles.section} aria-label={messages.plugins}>
      <Title order={2}>{messages.pluginCount(plugins.length)}</Title>
      {plugins.length > 0 && (
        <Table className={styles.table} mt={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{messages.plugin}</Table.Th>
              <Table.Th className={styles.state}>{messages.state}</Table.Th>
              <Table.Th className={styles.version}>{messages.version}</Table.Th>
              <Table.Th className={styles.actions}>
                <VisuallyHidden>{messages.actions}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          {sortByUrgency(plugins).map((item) => (
            <PluginRow key={item.plugin} site={site} item={item} />
          ))}
        </Table>
      )}
    </section>
  );
}

function Themes({ site, themes }: { site: SiteDetails; themes: Inventory['themes'] }) {
  if (themes.length === 0) return null;
  return (
    <section className={styles.section} aria-label={messages.themes}>
      <Title order={2}>{messages.themeCount(themes.length)}</Title>
      <Table className={styles.table} mt={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{messages.theme}</Table.Th>
            <Table.Th className={styles.state}>{messages.state}</Table.Th>
            <Table.Th className={styles.version}>{messages.version}</Table.Th>
            <Table.Td className={styles.actions} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sortByUrgency(themes).map(({ slug, name, active, version, new_version, ...theme }) => (
            <Table.Tr key={slug}>
              <Table.Td>
                <SoftwareLink type="theme" slug={slug}>
                  {name}
                </SoftwareLink>{' '}
                {name !== slug && <span className={`${styles.file} mono`}>{slug}</span>}
                <ItemNotes
                  site={site}
                  item={{ type: 'theme', slug }}
                  autoUpdate={theme.auto_update}
                />
              </Table.Td>
              <Table.Td className={styles.state}>
                <StatusLabel kind={active ? 'good' : 'off'}>
                  {active ? messages.active : messages.inactive}
                </StatusLabel>
              </Table.Td>
              <Table.Td className={styles.version}>
                <Version from={version} to={new_version} />
              </Table.Td>
              <Table.Td className={styles.actions}>
                <Group gap={6} justify="flex-end" className={styles.buttons}>
                  <UpdateItemButton
                    site={site}
                    item={{ type: 'theme', slug }}
                    name={name}
                    newVersion={new_version}
                  />
                  <RestoreThemeButton site={site} theme={{ slug, name, ...theme }} />
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

type Item = { name: string; active: boolean; new_version?: string };

/** Items with updates come first, then active items, then the rest. Each group is sorted by name. */
function sortByUrgency<Of extends Item>(items: Of[]): Of[] {
  const rank = ({ new_version, active }: Item) => (new_version ? 0 : active ? 1 : 2);
  return items.toSorted((a, b) => rank(a) - rank(b) || compareNames(a.name, b.name));
}
