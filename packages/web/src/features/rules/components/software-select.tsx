import { type FoundOption, SearchSelect } from '../../../components/search-select.tsx';
import { findSoftware } from '../../../lib/software-options.ts';
import { commonMessages } from '../../../messages/common.ts';

type Props = {
  label: string;
  value: FoundOption | null;
  onChange: (software: FoundOption | null) => void;
};

/** Finds software of the fleet by part of its name or slug. */
export function SoftwareSelect(props: Props) {
  return (
    <SearchSelect
      resource="software"
      find={findSoftware}
      nothingFound={commonMessages.noResults}
      {...props}
    />
  );
}
