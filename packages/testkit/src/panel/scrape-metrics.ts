export type Metrics = { text: string; value(series: string): number | undefined; names: string[] };

/** Reads the metrics of a process. `value('name{label="x"}')`: the labels as Prometheus prints them. */
export async function scrapeMetrics(url: string): Promise<Metrics> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const values = new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
  const names = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
  return { text, value: (series) => values.get(series), names };
}
