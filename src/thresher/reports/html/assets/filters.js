// The filters of items: each makes a test of a row, or nothing if it is off.
function filtersOf(items, state, metric) {
  return [
    metric && state.test !== "any" && !Number.isNaN(state.threshold) && scoreFilter(items, state, metric),
    metric && state.status !== "any" && statusFilter(items, state, metric),
    metric && state.change !== "any" && changeFilter(items, state, metric),
    metric && state.flaky && flakyFilter(items, state, metric),
    state.differing && ((row) => answersDiffer(items, state, row)),
    ...items.facets.map((facet) => facetFilter(facet, state)),
    state.why !== "any" && ((row) => items.whyOf(row).includes(state.why)),
  ].filter(Boolean);
}

const failsBar = (state, score) => (state.test === "below" ? score < state.threshold : score > state.threshold);

// A score below or above the limit in the shown run, in any run, or in every run that scored the item.
function scoreFilter(items, state, metric) {
  const runs = state.scope === "run" ? [state.run] : items.runs.map((_, run) => run);
  return (row) => {
    const scores = runs.map((run) => items.score(metric, run, row)).filter((score) => !Number.isNaN(score));
    const fails = (score) => failsBar(state, score);
    return state.scope === "every" ? scores.length > 0 && scores.every(fails) : scores.some(fails);
  };
}

function statusFilter(items, state, metric) {
  return (row) => {
    const status = items.state(metric, state.run, row);
    return state.status === "not scored" ? status !== "scored" : status === state.status;
  };
}

// How the shown run, or any run, differs from the baseline.
function changeFilter(items, state, metric) {
  const [kind, any] = [state.change.split(" ")[0], state.change.endsWith("any run")];
  const runs = any ? items.runs.map((_, run) => run).filter((run) => run !== state.base) : [state.run];
  const is = { regressed: (gain) => gain < -NOISE, improved: (gain) => gain > NOISE, unchanged: (gain) => Math.abs(gain) <= NOISE }[kind];
  return (row) => runs.some((run) => is(items.gain(metric, run, row, state.base)));
}

// Whether repeats of one configuration, or of one item, disagree: on which side of the limit, or without one in score.
function flakyFilter(items, state, metric) {
  const limited = state.test !== "any" && !Number.isNaN(state.threshold);
  const key = (score) => (limited ? failsBar(state, score) : score);
  const disagree = (scores) => {
    const known = scores.filter((score) => !Number.isNaN(score));
    return known.some((score) => (limited ? key(score) !== key(known[0]) : Math.abs(score - known[0]) > NOISE));
  };
  const alike = sameItems(items);
  return (row) =>
    items.repeats.runs.some((runs) => disagree(runs.map((run) => items.score(metric, run, row)))) ||
    (alike !== null && items.runs.some((_, run) => disagree(alike[row].map((other) => items.score(metric, run, other)))));
}

// Per row the rows of the same item, where rows repeat items; null otherwise.
function sameItems(items) {
  const codes = items.repeats.rows;
  if (!codes) return null;
  const groups = Map.groupBy(codes.keys(), (row) => codes[row]);
  return codes.map((code) => groups.get(code));
}

function facetFilter({ input, name, values }, state) {
  const place = state[`column ${name}`];
  return place !== "any" && ((row) => input.cells[0][row] === values[place]);
}

function answersDiffer(items, { base, run }, row) {
  const answer = items.byPart.get("answer");
  if (!answer || answer.cells.length === 1) return false;
  return items.packedEntry(answer, base, row) !== items.packedEntry(answer, run, row);
}
