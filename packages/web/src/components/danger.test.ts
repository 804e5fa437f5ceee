import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const messageModules = import.meta.glob<Record<string, unknown>>(
  ['../messages/*.ts', '!../messages/*.test.ts'],
  { eager: true },
);
const messagesByName: Record<string, unknown> = Object.assign({}, ...Object.values(messageModules));

const DESTRUCTIVE = /^(Delete|Remove|Revoke|Archive|Disconnect|Disable)\b/;
const BUTTONS = ['Button', 'Menu.Item', 'UnstyledButton', 'button'];

type Node = { type: string; [name: string]: unknown };
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

function* walk(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const item of value) yield* walk(item);
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* walk(child);
}

/** Reads the texts of a file: `messages.remove`, also as a function, and of both branches of a condition. */
function createReader(program: Node) {
  const names: Record<string, unknown> = { ...messagesByName };
  const resolve = (node: Node): unknown => {
    if (node.type === 'Identifier') return names[node.name as string];
    if (node.type === 'CallExpression') return resolve(node.callee as Node);
    if (node.type !== 'MemberExpression' || node.computed) return undefined;
    return readProperty(resolve(node.object as Node), (node.property as { name: string }).name);
  };
  const readProperty = (object: unknown, name: string) =>
    (object as Record<string, unknown> | undefined)?.[name];
  for (const node of walk(program)) {
    if (node.type === 'ImportSpecifier') {
      const { imported, local } = node as unknown as Record<string, { name: string }>;
      if (imported && local) names[local.name] = messagesByName[imported.name];
    }
    if (node.type !== 'VariableDeclarator' || !isNode(node.init)) continue;
    const id = node.id as Node;
    const value = resolve(node.init);
    if (id.type === 'Identifier') names[id.name as string] ??= value;
    if (id.type !== 'ObjectPattern') continue;
    for (const { key, value: local } of id.properties as Record<string, Node>[]) {
      if (key && local) names[local.name as string] ??= readProperty(value, key.name as string);
    }
  }
  return (node: Node): string[] => {
    if (node.type === 'ConditionalExpression') {
      return [node.consequent, node.alternate].flatMap((branch) => readTexts(branch as Node));
    }
    return readTexts(node);
  };
  function readTexts(node: Node): string[] {
    const text = resolve(node);
    if (typeof text === 'string') return [text];
    return typeof text === 'function' ? textsOf(String(text)) : [];
  }
}

/** The texts that a function of the messages can return. */
const textsOf = (source: string): string[] =>
  [...source.matchAll(/[`'"]([^`'"]*)[`'"]/g)].map(([, text = '']) => text);

function nameOf(node: Node): string {
  if (node.type === 'JSXMemberExpression')
    return `${nameOf(node.object as Node)}.${nameOf(node.property as Node)}`;
  return node.name as string;
}

/** The destructive texts of a file on elements that do not look destructive. */
function findHarmlessLooking(source: string): string[] {
  const { program } = parseSync('example.tsx', source);
  const read = createReader(program as unknown as Node);
  return [...walk(program)].flatMap((element) => {
    if (element.type !== 'JSXElement') return [];
    const opening = element.openingElement as Node;
    const name = nameOf(opening.name as Node);
    const attributes = opening.attributes as { name?: { name: string }; value?: Node }[];
    const labels =
      name === 'ConfirmDialog' && !attributes.some((each) => each.name?.name === 'isDangerous')
        ? attributes.filter((each) => each.name?.name === 'confirmLabel').map(({ value }) => value)
        : BUTTONS.includes(name)
          ? (element.children as Node[])
          : [];
    return labels
      .flatMap((label) => (isNode(label?.expression) ? read(label.expression) : []))
      .filter((text) => DESTRUCTIVE.test(text))
      .map((text) => `${name}: ${text}`);
  });
}

/** The names of the outer elements in a child, such as `Button`. A `Blockable` only wraps its button. */
function outerElements(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(outerElements);
  if (!isNode(value)) return [];
  if (value.type !== 'JSXElement') return Object.values(value).flatMap(outerElements);
  const name = nameOf((value.openingElement as Node).name as Node);
  return name === 'Blockable' ? outerElements(value.children) : [name];
}

/** The buttons that follow an element in the same parent. */
function findAfter(source: string, wanted: string): string[] {
  const { program } = parseSync('example.tsx', source);
  return [...walk(program)].flatMap((element) => {
    if (element.type !== 'JSXElement' && element.type !== 'JSXFragment') return [];
    const children = (element.children as Node[]).map(outerElements);
    const first = children.findIndex((names) => names.includes(wanted));
    const following = first === -1 ? [] : children.slice(first + 1).flat();
    return following.filter((name) => BUTTONS.includes(name));
  });
}

const files = globSync('{app,components,features}/**/*.tsx', { cwd: root })
  .filter((file) => !file.includes('.test.'))
  .map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }));
const findIn = (find: (source: string) => string[]) =>
  files.flatMap(({ file, source }) => find(source).map((found) => `${file}: ${found}`));

describe('a button that destroys something', () => {
  it('looks destructive: it is a DangerButton or DangerMenuItem, or its dialog is dangerous', () => {
    expect(findIn(findHarmlessLooking)).toEqual([]);
  });

  it.each(['DangerButton', 'DangerMenuItem'])('is the last one: no button follows a %s', (name) => {
    expect(findIn((source) => findAfter(source, name))).toEqual([]);
  });

  it('is found by its text', () => {
    const imports = "import { accountMessages } from '../messages/account.ts';";
    const find = (rest: string) => findHarmlessLooking(`${imports} ${rest}`);
    const messages = 'const messages = accountMessages.passkeys;';
    const text = 'Remove passkey';
    expect(find(`${messages} <Button>{messages.removeSubmit}</Button>`)).toEqual([
      `Button: ${text}`,
    ]);
    expect(find('<Menu.Item>{accountMessages.passkeys.removeSubmit}</Menu.Item>')).toEqual([
      `Menu.Item: ${text}`,
    ]);
    const [either] = find(
      `${messages} <Button>{isOn ? messages.add : messages.removeOne('a')}</Button>`,
    );
    expect(either).toMatch(/^Button: Remove/);
    expect(find(`${messages} <ConfirmDialog confirmLabel={messages.removeSubmit} />`)).toEqual([
      `ConfirmDialog: ${text}`,
    ]);
    expect(
      find(`const { removeSubmit } = accountMessages.passkeys; <Button>{removeSubmit}</Button>`),
    ).toEqual([`Button: ${text}`]);
    expect(find(`${messages} <DangerButton>{messages.removeSubmit}</DangerButton>`)).toEqual([]);
    expect(find(`${messages} <Button>{messages.add}</Button>`)).toEqual([]);
  });

  it('is found in the middle', () => {
    const find = (source: string) => findAfter(source, 'DangerButton');
    expect(find('<Group><DangerButton /><Button /></Group>')).toEqual(['Button']);
    expect(find('<>{may && <DangerButton />}<Blockable><Button /></Blockable></>')).toEqual([
      'Button',
    ]);
    expect(find('<Group><Button /><DangerButton /></Group>')).toEqual([]);
    expect(find('<div><ul><DangerButton /></ul><Button /></div>')).toEqual([]);
  });
});
