import {
  findVersionSupport,
  type SupportedSoftware,
  type SupportState,
  type VersionSupport,
} from '@steward/contract';
import { versionSupportMessages as messages } from '../messages/version-support.ts';
import { type StatusKind, StatusLabel } from './status-label.tsx';
import styles from './supported-version.module.css';

/** Without security fixes is worse than an older version that WordPress still fixes out of courtesy. */
const KINDS: Record<SupportedSoftware, Partial<Record<SupportState, StatusKind>>> = {
  php: { ended: 'bad', ending: 'warn' },
  wordpress: { ended: 'warn' },
};

type Props = { software: SupportedSoftware; version: string; hasText?: boolean };

/** A version with the end of its support: beside it, or for the pointer and screen readers only. */
export function SupportedVersion({ software, version, hasText = false }: Props) {
  const support = findVersionSupport(software, version, new Date());
  const kind = support && KINDS[software][support.state];
  if (!support || (!kind && !hasText)) {
    return (
      <span className="tabular truncate" title={version}>
        {version}
      </span>
    );
  }
  const text = `${version}: ${messages.end(software, support)}. ${messages.asOf(support)}.`;
  const words = <Words software={software} version={version} support={support} hasText={hasText} />;
  return (
    <span className="tabular truncate" title={text}>
      {kind ? <StatusLabel kind={kind}>{words}</StatusLabel> : words}
    </span>
  );
}

function Words({
  software,
  version,
  support,
  hasText,
}: Required<Props> & { support: VersionSupport }) {
  return (
    <>
      {version}
      <span className={hasText ? undefined : styles.unseen}>
        {messages.afterVersion(messages.end(software, support))}
      </span>
    </>
  );
}
