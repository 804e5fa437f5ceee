import { Code } from '@mantine/core';

/** Shows the texts of the API description: paragraphs, then one list of all lines with `- `. Backticks mark code. */
export function Prose({ text }: { text: string }) {
  const blocks = text.split(/\n\n|\n(?=- )/);
  const items = blocks.filter((block) => block.startsWith('- '));
  return (
    <>
      {blocks
        .filter((block) => !block.startsWith('- '))
        .map((block) => (
          <p key={block}>
            <InlineText text={block} />
          </p>
        ))}
      {items.length > 0 && (
        <ul>
          {items.map((item) => (
            <li key={item}>
              <InlineText text={item.slice(2)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function InlineText({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text never change their order.
    index % 2 === 1 ? <Code key={index}>{part}</Code> : part,
  );
}
