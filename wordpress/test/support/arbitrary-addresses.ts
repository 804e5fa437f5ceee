import { anyCharacter } from '@steward/testkit/any-character.ts';
import fc from 'fast-check';

const oneOf = (...choices: string[]) => fc.constantFrom(...choices);
const repeated = (part: fc.Arbitrary<string>, maxLength: number, separator = '') =>
  fc.array(part, { maxLength }).map((parts) => parts.join(separator));

const scheme = fc.oneof(
  { weight: 8, arbitrary: oneOf('https://', 'http://', 'HTTP://', '', '//') },
  { weight: 1, arbitrary: oneOf('ftp://', 'https:/', 'http:', 'HtTpS:///', 'h+t.p-s://', '://') },
);
const userinfo = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: oneOf('me@', 'me:secret@', 'p@ss:@', '@', ':@', '[@', 'ü@', '%40@') },
);
const port = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 70_000 }).map((number) => `:${number}`) },
  { weight: 1, arbitrary: oneOf(':', ':080', ':0', ':00443', ':+80', ':8 0', ':-1', ':80:80') },
);

const ipv4Part = fc.oneof(
  fc.integer({ min: 0, max: 300 }).map(String),
  oneOf('0x7f', '017', '00', '0x', '256', '4294967295', '1e1', '08'),
);
const ipv4 = fc
  .array(ipv4Part, { minLength: 1, maxLength: 5 })
  .chain((parts) => oneOf('', '.', '..').map((end) => parts.join('.') + end));

const ipv6Group = fc.oneof(
  { weight: 4, arbitrary: oneOf('0', '0', '0', '1', 'ffff') },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 0xffff }).map((group) => group.toString(16)) },
  { weight: 1, arbitrary: oneOf('00DB', '12345', 'g', '', '1.2.3.4', '01.2.3.4', '%25eth0') },
);
const ipv6Groups = fc.array(ipv6Group, { minLength: 0, maxLength: 9 });
const ipv6 = fc.oneof(
  fc
    .array(oneOf('0', '0', '1', 'fe80'), { minLength: 8, maxLength: 8 })
    .map((all) => all.join(':')),
  fc.tuple(ipv6Groups, ipv6Groups).map(([head, tail]) => `${head.join(':')}::${tail.join(':')}`),
  ipv6Groups.map((groups) => [...groups, '1.2.3.4'].join(':')),
  repeated(oneOf(':', '0', 'f', '.', '1'), 12),
);

const asciiLabel = fc.oneof(
  { weight: 4, arbitrary: oneOf('www', 'WWW', 'example', 'Shop', 'com', 'co', 'uk', 'a-b', 'x_y') },
  { weight: 1, arbitrary: oneOf('-a', 'a-', 'a--b', '', '1', '0x1', 'a'.repeat(63)) },
  { weight: 1, arbitrary: oneOf('a'.repeat(64), 'a$b', "a'b", 'a*b', 'a,b', 'a%61', 'a|b', 'a"b') },
  { weight: 1, arbitrary: oneOf('xn--bcher-kva', 'XN--E1AFMKFD', 'xn--p1ai', 'xn--', 'xn--a-') },
  { weight: 1, arbitrary: repeated(oneOf('a', 'Z', '0', '-', '_', '.', '~', '+', '!'), 12) },
);
/** Characters from old Unicode versions, which every server's library supports. */
const nonAsciiLabel = fc.oneof(
  oneOf('münchen', 'BÜCHER', 'straße', 'STRAẞE', 'пример', 'Рф', '例え', '日本語', '한국', 'ΣΑΣ'),
  oneOf('مثال', 'שלום', '1שלום', 'שלוםa', 'ไทย', 'भारत', 'ｆｕｌｌ', 'ﬁ', '½', '①', 'e\u0301', 'ŀ'),
  oneOf('a\u00adb', '\u00ad', 'a\u200db', 'क्\u200d', '\u0301a', '☃', '💩', '-ü', 'ü-', 'ab--ü'),
  oneOf(
    'é'.repeat(50),
    'é'.repeat(70),
    '１２７',
    'K',
    'İ',
    'a。b',
    'a．b',
    '℀',
    '\ufeff',
    '\u3000',
  ),
);
const createHost = (label: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 6, arbitrary: repeated(label, 5, '.') },
    { weight: 1, arbitrary: fc.array(label, { maxLength: 3 }).map((all) => `${all.join('.')}.`) },
  );

const pathPiece = fc.oneof(
  { weight: 3, arbitrary: oneOf('/', '/', '//', '/.', '/..', '/../', '/./', '/%2e', '/%2E%2e/') },
  { weight: 2, arbitrary: oneOf('blog', 'Blog', 'é', '日', '💩', '.', '..', '.%2e', '...', '%2e') },
  { weight: 2, arbitrary: fc.string({ maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: oneOf('%', '%zz', '%e9', '^', '`', '{', '}', '"', '<', '>', '|', ';a=b'),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 3 }) },
);
const path = repeated(pathPiece, 8).map((text) => (text === '' ? '' : `/${text}`));
const rest = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: oneOf('?', '#', '?a=/../b', '#/x?y', '?é#ü', '\\', ' ', '?a b') },
);
const createSpace = (...spaces: string[]) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: oneOf(' ', '\n', '\t ', '\f\r', '\v', '\u0000', ...spaces) },
  );

const createAddress = (host: fc.Arbitrary<string>, space = createSpace()) =>
  fc.tuple(space, scheme, userinfo, host, port, path, rest, space).map((parts) => parts.join(''));

/** Too many or too few slashes can turn the path into a host. */
const hasNonAsciiHost = (address: string) =>
  /^\s*(?:[\w+.-]*:)?\/\/[^/?#]*\P{ASCII}/u.test(address);

export const asciiAddress = fc
  .oneof(
    { weight: 4, arbitrary: createAddress(createHost(asciiLabel)) },
    { weight: 2, arbitrary: createAddress(ipv4) },
    { weight: 2, arbitrary: createAddress(ipv6.map((address) => `[${address}]`)) },
    { weight: 1, arbitrary: repeated(oneOf(':', '/', '@', '[', ']', '.', 'a', '1', '?', '#'), 15) },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.webUrl({ withFragments: true, withQueryParameters: true }) },
  )
  .filter((address) => !hasNonAsciiHost(address));

export const nonAsciiAddress = createAddress(
  createHost(
    fc.oneof({ weight: 2, arbitrary: nonAsciiLabel }, { weight: 1, arbitrary: asciiLabel }),
  ),
  createSpace('\u00a0', '\ufeff'),
);
