import { UnstyledButton } from '@mantine/core';
import type { RolloutSiteState } from '@steward/contract';
import { type KeyboardEvent, memo, useRef, useState } from 'react';
import type { RolloutSite } from '../../../lib/rollouts-api.ts';
import { rolloutMessages } from '../../../messages/rollouts.ts';
import { STATE_ORDER } from '../rollout-state.ts';
import styles from './site-dots.module.css';

const messages = rolloutMessages.ring;

/** A ring with more sites shows the `GROUPED` states as numbers, so that a rollout to 10,000 sites stays fast. */
const MAX_DOTS = 500;
const GROUPED: readonly RolloutSiteState[] = ['updated', 'unchecked', 'waiting', 'cancelled'];

type Props = {
  ring: string;
  sites: RolloutSite[];
  selectedId: number | null;
  onSelect: (siteId: number) => void;
};

/** Each site of a ring as a dot. Arrow keys move between the dots. */
export function SiteDots({ ring, sites, selectedId, onSelect }: Props) {
  const isLarge = sites.length > MAX_DOTS;
  const single = isLarge ? sites.filter(({ state }) => !GROUPED.includes(state)) : sites;
  const shown = single.slice(0, MAX_DOTS);
  return (
    <>
      {isLarge && <GroupedSites sites={sites} />}
      {shown.length > 0 && (
        <Dots ring={ring} sites={shown} selectedId={selectedId} onSelect={onSelect} />
      )}
      {single.length > shown.length && (
        <p className={styles.more}>{messages.more(single.length - shown.length)}</p>
      )}
    </>
  );
}

function GroupedSites({ sites }: { sites: RolloutSite[] }) {
  const byState = Map.groupBy(sites, ({ state }) => state);
  return (
    <ul className={styles.grouped}>
      {STATE_ORDER.filter((state) => GROUPED.includes(state) && byState.has(state)).map((state) => (
        <li key={state} className="tabular">
          <span className={styles.mark} data-state={state} aria-hidden />
          {messages.grouped(byState.get(state)?.length ?? 0, state)}
        </li>
      ))}
    </ul>
  );
}

function Dots({ ring, sites, selectedId, onSelect }: Props) {
  const list = useRef<HTMLUListElement>(null);
  // One dot is in the tab order; otherwise a keyboard user would press Tab five hundred times.
  const [focused, setFocused] = useState(0);
  const current = Math.min(focused, sites.length - 1);
  const move = (event: KeyboardEvent) => {
    const target = targetOf(event.key, current, sites.length);
    if (target === null) return;
    event.preventDefault();
    setFocused(target);
    list.current?.querySelectorAll<HTMLElement>('button')[target]?.focus();
  };
  return (
    <ul ref={list} className={styles.dots} aria-label={messages.dots(ring)} onKeyDown={move}>
      {sites.map((site, index) => (
        <Dot
          key={site.site_id}
          siteId={site.site_id}
          name={site.name}
          state={site.state}
          isInTabOrder={index === current}
          isSelected={site.site_id === selectedId}
          onSelect={onSelect}
        />
      ))}
    </ul>
  );
}

function targetOf(key: string, current: number, total: number): number | null {
  const targets: Record<string, number> = {
    ArrowRight: current + 1,
    ArrowDown: current + 1,
    ArrowLeft: current - 1,
    ArrowUp: current - 1,
    Home: 0,
    End: total - 1,
  };
  const target = targets[key];
  return target === undefined || target < 0 || target >= total ? null : target;
}

type DotProps = {
  siteId: number;
  name: string;
  state: RolloutSiteState;
  isInTabOrder: boolean;
  isSelected: boolean;
  onSelect: (siteId: number) => void;
};

const Dot = memo(function Dot(props: DotProps) {
  const { siteId, name, state, isInTabOrder, isSelected, onSelect } = props;
  const label = messages.dot(name, rolloutMessages.states[state]);
  return (
    <li>
      <UnstyledButton
        className={styles.dot}
        aria-label={label}
        title={label}
        aria-pressed={isSelected}
        tabIndex={isInTabOrder ? 0 : -1}
        onClick={() => onSelect(siteId)}
      >
        <span className={styles.mark} data-state={state} aria-hidden />
      </UnstyledButton>
    </li>
  );
});
