/* monitor.js -- the page of the monitor.  It asks its own server for the plan
 * once, for the state whenever the stream of events says that it changed, and
 * for nothing else. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const STATES = ["right", "missing", "wrong port", "other rate",
  "node is missing", "drained", "not known yet"];
const LOADS = [1, 10, 25, 50, 75]; // Per cent.
const ERRORS = [0, 1, 10]; // A minute.
const SEVERITIES = ["note", "warning", "critical"];
const MAX_EVENTS = 500;
const CELL = 11, LABEL = 74;

let plan, state, cables, cells, links, dots;
let mode = "state", job = null, picked = null, view = "racks";
const events = new Map();
const byLabel = new Map(), byName = new Map();

const $ = (id) => document.getElementById(id);

/* An element with attributes and children; text is never read as HTML. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      element.addEventListener(key.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(key, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function draw(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  if (parent) {
    parent.append(element);
  }
  return element;
}

async function ask(path) {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) {
    throw new Error(`${path}: ${answer.status}`);
  }
  return answer.json();
}

function tell(text) {
  $("live").textContent = text;
}

const plural = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? ""
  : /(s|x|ch|sh)$/.test(what) ? "es" : "s"}`;

/* Times as people at this machine read them. */
function clock(text) {
  return new Date(text).toLocaleTimeString("en-GB");
}
function day(text) {
  return new Date(text).toLocaleDateString("en-CA");
}
function moment(text) {
  const today = day(new Date().toISOString());
  return day(text) === today ? clock(text) : `${day(text)} ${clock(text)}`;
}

/* The plan, as objects. */
function readPlan() {
  plan.nodes = plan.nodes.map(([name, isHost, rack, unit, nPorts], index) => {
    const node = { name, isHost: Boolean(isHost), rack, unit, nPorts, index,
      cables: [] };
    byName.set(name.toLowerCase(), node);
    return node;
  });
  plan.racks = plan.racks.map(([name, row, column, group], index) => ({
    name, row, column, group, index, switches: [], nHosts: 0 }));
  cables = plan.cables.map((row, index) => {
    const [label, a, aPort, b, bPort, step, length, aName, bName] = row;
    const cable = { label, index, step, length, ends: [
      { node: plan.nodes[a], port: aPort, name: aName ?? String(aPort) },
      { node: plan.nodes[b], port: bPort, name: bName ?? String(bPort) }] };
    cable.ends.forEach((end) => end.node.cables.push(cable));
    byLabel.set(label.toLowerCase(), cable);
    return cable;
  });
  for (const node of plan.nodes) {
    const rack = plan.racks[node.rack];
    if (rack && node.isHost) {
      rack.nHosts++;
    } else if (rack) {
      rack.switches.push(node);
    }
    node.cables.sort((x, y) => endOf(x, node).port - endOf(y, node).port);
  }
  plan.racks.forEach((rack) => rack.switches.sort((x, y) => y.unit - x.unit ||
    x.index - y.index));
}

function endOf(cable, node) {
  return cable.ends[cable.ends[0].node === node ? 0 : 1];
}
function otherEnd(cable, node) {
  return cable.ends[cable.ends[0].node === node ? 1 : 0];
}
function place(node) {
  const rack = plan.racks[node.rack];
  return rack ? `${rack.name} U${node.unit}` : "";
}
function endText(end) {
  return `${end.node.name} port ${end.name} (${place(end.node)})`;
}

/* What is known of a cable. */
const stateOf = (cable) => Number(state?.states[cable.index] ?? 6);
const loadOf = (cable) => state?.loads ? state.loads[cable.index] / 10 : -1;
const errorsOf = (cable) => state?.errors ? state.errors[cable.index] : -1;
const loadText = (cable) => loadOf(cable) < 0 ? "–" : `${loadOf(cable).toFixed(1)} %`;
const errorsText = (cable) => errorsOf(cable) < 0 ? "–"
  : `${errorsOf(cable).toLocaleString("en")}/min`;

/* The class that paints a cable. */
function paintOf(cable) {
  if (mode === "state") {
    return `s${stateOf(cable)}`;
  }
  if (mode === "job") {
    const share = job?.loads.get(cable.index);
    return `j${share === undefined ? 0 : 1 + Math.min(3, Math.floor(share * 4))}`;
  }
  if (stateOf(cable) === 1 || stateOf(cable) === 4) {
    return `s${stateOf(cable)}`;
  }
  const [amount, limits, letter] = mode === "load" ? [loadOf(cable), LOADS, "l"]
    : [errorsOf(cable), ERRORS, "e"];
  if (amount < 0) {
    return `${letter}x`;
  }
  const at = limits.findIndex((limit) => letter === "l" ? amount < limit
    : amount <= limit);
  return `${letter}${at < 0 ? limits.length : at}`;
}

function isPicked(cable) {
  return picked === cable || (picked?.cables && !picked.switches &&
    picked.cables.includes(cable));
}

/* Paints what changed.  What is wrong is drawn last, above the others. */
function repaint() {
  const raised = [];
  cables.forEach((cable, i) => {
    const look = paintOf(cable) + (isPicked(cable) ? " pick" : "");
    for (const cell of cells?.[i] ?? []) {
      if (cell.look !== look) {
        cell.look = look;
        cell.setAttribute("class", `c ${look}`);
      }
    }
    const link = links?.[i];
    if (link && link.look !== look) {
      link.look = look;
      link.setAttribute("class", `k ${look}`);
      if (!/^([slej]0|[le]x|s6)$/.test(look)) {
        raised.push(link);
      }
    }
  });
  raised.forEach((link) => link.parentNode.append(link));
  for (const dot of dots ?? []) {
    const node = dot.node;
    const bad = node.cables.filter((cable) => [1, 2].includes(stateOf(cable)));
    const gone = node.cables.length > 0 && node.cables.every((cable) =>
      [1, 4].includes(stateOf(cable)));
    dot.setAttribute("class", `n${mode === "job" ? job?.switches.has(node)
      ? " job" : "" : gone ? " gone" : bad.length ? " bad" : ""}${
      picked === node ? " pick" : ""}`);
  }
}

/* A sample of a class, as a cell and as a link. */
function sample(look) {
  const svg = draw("svg", { viewBox: "0 0 30 14", "aria-hidden": "true" });
  draw("rect", { x: 2, y: 3, width: 9, height: 9, class: `c ${look}` }, svg);
  draw("path", { d: "M15 7.5H30", class: `k ${look}`, fill: "none",
    "stroke-width": 3 }, svg);
  return svg;
}

function showLegend() {
  const rows = {
    state: STATES.map((text, i) => [`s${i}`, text]).slice(0, state?.discovered ? 6 : 7),
    load: [...LOADS, 100].map((limit, i) => [`l${i}`, i === LOADS.length
      ? `${LOADS[i - 1]} % and more` : `below ${limit} %`])
      .concat([["lx", "not read"], ["s1", "missing"]]),
    errors: [["e0", "no errors"], ["e1", "1 a minute"],
      ["e2", "up to 10"], ["e3", "more"], ["ex", "not read"],
      ["s1", "missing"]],
    job: [["j0", "not used"], ["j1", "up to a quarter of the busiest"],
      ["j2", "up to a half"], ["j3", "up to three quarters"],
      ["j4", "more"]],
  }[mode];
  $("legend").replaceChildren(...rows.map(([look, text]) =>
    make("li", {}, sample(look), text)));
}

function table(heads, rows, caption) {
  const head = make("tr", {}, ...heads.map((text) => make("th",
    { scope: "col" }, text)));
  return make("table", {}, caption ? make("caption", { class: "hidden" },
    caption) : null, make("thead", {}, head), make("tbody", {},
    ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {},
      cell))))));
}

function pickButton(thing, text) {
  return make("button", { type: "button", class: "link",
    onclick: () => pick(thing) }, text);
}

/* Racks. */
function drawRack(rack) {
  const nPorts = Math.max(...rack.switches.map((node) => Math.max(0,
    ...node.cables.map((cable) => endOf(cable, node).port))));
  const width = LABEL + nPorts * CELL + 2;
  const height = rack.switches.length * CELL + 4;
  const zoom = plan.n_switches <= 100 ? 1.7 : plan.n_switches <= 300 ? 1.25 : 1;
  const svg = draw("svg", { width: width * zoom, height: height * zoom,
    viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "application", "aria-label":
    `Rack ${rack.name}: ${plural(rack.switches.length, "switch")}; arrow keys ` +
    "move, Enter shows the cable" });
  svg.style.setProperty("--t", `${(12.5 / zoom).toFixed(1)}px`);
  const cursor = { row: 0, column: 0, box: null };
  rack.switches.forEach((node, row) => {
    const text = draw("text", { x: 0, y: row * CELL + 11 }, svg);
    text.textContent = node.name.length > 11 ? `…${node.name.slice(-10)}`
      : node.name;
    text.thing = node;
    node.cables.forEach((cable) => {
      const cell = draw("rect", { x: LABEL + (endOf(cable, node).port - 1) * CELL
        + 1, y: row * CELL + 3, width: 9, height: 9 }, svg);
      cell.thing = cable;
      cells[cable.index].push(cell);
    });
  });
  svg.addEventListener("click", (event) => event.target.thing &&
    pick(event.target.thing));
  svg.addEventListener("keydown", (event) => moveCursor(event, svg, rack,
    cursor, nPorts));
  svg.addEventListener("blur", () => cursor.box?.remove());
  svg.addEventListener("mouseover", (event) => nameIt(event.target));
  return svg;
}

/* A title is made when somebody points at it. */
function nameIt(element) {
  if (element.thing && !element.querySelector("title")) {
    const thing = element.thing;
    draw("title", {}, element).textContent = thing.ends
      ? `${thing.label}: ${endText(thing.ends[0])} – ${endText(thing.ends[1])}`
      : `${thing.name}, ${place(thing)}`;
  }
}

function cableAt(rack, cursor) {
  const node = rack.switches[cursor.row];
  return node.cables.find((cable) => endOf(cable, node).port ===
    cursor.column + 1);
}

function moveCursor(event, svg, rack, cursor, nPorts) {
  const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0],
    ArrowDown: [1, 0] };
  const cable = cableAt(rack, cursor);
  if (event.key === "Enter" && cable) {
    pick(cable);
  }
  if (!moves[event.key]) {
    return;
  }
  event.preventDefault();
  const [down, right] = moves[event.key];
  if (cursor.box) {
    cursor.row = Math.min(rack.switches.length - 1, Math.max(0, cursor.row + down));
    cursor.column = Math.min(nPorts - 1, Math.max(0, cursor.column + right));
  }
  cursor.box = cursor.box ?? draw("rect", { width: CELL, height: CELL,
    class: "cursor" });
  cursor.box.setAttribute("x", LABEL + cursor.column * CELL);
  cursor.box.setAttribute("y", cursor.row * CELL + 2);
  svg.append(cursor.box);
  const now = cableAt(rack, cursor), node = rack.switches[cursor.row];
  tell(`${node.name} port ${cursor.column + 1}: ${now ? `${now.label} to ${
    endText(otherEnd(now, node))}, ${STATES[stateOf(now)]}` : "no cable"}`);
}

function rackTable(rack) {
  return table(["Switch", "Port", "Cable", "To", "State", "Load", "Errors"],
    rack.switches.flatMap((node) => node.cables.map((cable) => [node.name,
      endOf(cable, node).name, pickButton(cable, cable.label),
      endText(otherEnd(cable, node)), STATES[stateOf(cable)], loadText(cable),
      errorsText(cable)])), `Ports of rack ${rack.name}`);
}

function drawRacks() {
  cells = cables.map(() => []);
  $("rack-list").replaceChildren(...plan.racks.map((rack) => {
    const details = make("details", { ontoggle: () => details.open &&
      body.replaceChildren(rackTable(rack)) },
    make("summary", {}, `Rack ${rack.name} as a table`));
    const body = make("div", { class: "scroll" });
    details.append(body);
    return make("figure", { class: "rack", id: `rack-${rack.index}` },
      make("figcaption", {}, rack.name, make("span", {}, rack.nHosts
        ? plural(rack.nHosts, "host") : "")),
      rack.switches.length ? make("div", { class: "scroll" }, drawRack(rack))
        : make("p", { class: "hint" }, "no switches"),
      rack.switches.length ? details : null);
  }));
}

/* Racks that hold one part of the network together count as one. */
function partsOf() {
  const parts = new Map();
  for (const rack of plan.racks) {
    const part = parts.get(rack.group);
    if (part) {
      part.switches.push(...rack.switches);
      part.name = `group ${rack.group}`; // As 'slimfly drain' takes it.
    } else {
      parts.set(rack.group, { name: rack.name, switches: [...rack.switches] });
    }
  }
  return [...parts.values()].filter((part) => part.switches.length);
}

/* The network on a circle. */
function drawGraph() {
  const groups = partsOf();
  const order = groups.flatMap((part) => part.switches);
  const gap = order.length > 300 ? 4 : 2;
  const slots = order.length + gap * groups.length;
  const radius = 470, spots = new Map();
  const svg = draw("svg", { viewBox: "0 0 1060 1060", tabindex: 0,
    role: "application", "aria-label": `The network: ${plural(order.length,
      "switch")}; left and right go from switch to switch, Enter shows it` });
  const point = (slot, r) => {
    const angle = 2 * Math.PI * slot / slots - Math.PI / 2;
    return [530 + r * Math.cos(angle), 530 + r * Math.sin(angle)];
  };
  let slot = 0;
  for (const part of groups) {
    const first = slot;
    for (const node of part.switches) {
      spots.set(node, point(slot++, radius));
    }
    const [x, y] = point((first + slot - 1) / 2, radius + 34);
    draw("text", { x, y: y + 4 }, svg).textContent = part.name;
    const [x1, y1] = point(first - 0.3, radius + 16);
    const [x2, y2] = point(slot - 0.7, radius + 16);
    const large = (slot - first) * 2 > slots ? 1 : 0;
    draw("path", { d: `M${x1} ${y1}A${radius + 16} ${radius + 16} 0 ${large} 1 ${
      x2} ${y2}`, class: "ring" }, svg);
    slot += gap;
  }
  const group = draw("g", {}, svg);
  links = cables.map((cable) => {
    const from = spots.get(cable.ends[0].node), to = spots.get(cable.ends[1].node);
    if (!from || !to) {
      return null;
    }
    const pull = 0.25 + 0.45 * Math.min(1, Math.hypot(from[0] - to[0],
      from[1] - to[1]) / radius);
    const bend = (i) => 530 + ((from[i] + to[i]) / 2 - 530) * (1 - pull);
    const link = draw("path", { d: `M${from[0].toFixed(1)} ${from[1].toFixed(1)
    }Q${bend(0).toFixed(1)} ${bend(1).toFixed(1)} ${to[0].toFixed(1)} ${
      to[1].toFixed(1)}` }, group);
    link.thing = cable;
    return link;
  });
  const nLinks = links.filter(Boolean).length;
  group.style.setProperty("--o", nLinks > 3000 ? ".3" : nLinks > 800 ? ".5" : ".75");
  group.style.setProperty("--w", nLinks > 3000 ? ".7px" : "1.2px");
  dots = order.map((node) => {
    const [x, y] = spots.get(node);
    const dot = draw("circle", { cx: x, cy: y, r: Math.max(2.5, Math.min(9,
      1100 / slots)) }, svg);
    dot.thing = dot.node = node;
    return dot;
  });
  let at = -1;
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      event.preventDefault();
      at = (Math.max(at, step < 0 ? 0 : -1) + step + order.length) % order.length;
      pick(order[at], true);
    } else if (event.key === "Enter" && at >= 0) {
      pick(order[at]);
    }
  });
  svg.addEventListener("click", (event) => event.target.thing &&
    pick(event.target.thing));
  svg.addEventListener("mouseover", (event) => nameIt(event.target));
  $("graph").replaceChildren(svg);
}

function showGraphTable() {
  if ($("graph-details").open) {
    const count = (node, wanted) => node.cables.filter((cable) =>
      wanted.includes(stateOf(cable))).length;
    $("graph-table").replaceChildren(table(["Switch", "Place", "Cables", "Right",
      "Missing", "Wrong", "Drained", "Busiest", "Errors"],
    plan.nodes.filter((node) => !node.isHost).map((node) => [
      pickButton(node, node.name), place(node), node.cables.length,
      count(node, [0, 3, 5]), count(node, [1, 4]), count(node, [2]),
      count(node, [5]),
      state?.loads ? `${Math.max(0, ...node.cables.map(loadOf)).toFixed(1)} %` : "–",
      state?.errors ? node.cables.reduce((sum, cable) => sum + Math.max(0,
        errorsOf(cable)), 0) : "–"].map(String).map((cell, i) => i ? cell
      : pickButton(node, node.name))), "Switches of the network"));
  }
}

/* Details of what is picked. */
function row(name, ...value) {
  return [make("dt", {}, name), make("dd", {}, ...value)];
}

function cablePanel(cable) {
  return [make("h2", {}, `Cable ${cable.label}`), make("dl", {},
    ...row("State", STATES[stateOf(cable)]),
    ...cable.ends.flatMap((end, i) => row(i ? "and" : "Joins",
      pickButton(end.node, end.node.name), ` port ${end.name}, ${place(end.node)}`)),
    ...row("Wired", plan.steps[cable.step]), ...row("Length", `${cable.length} m`),
    ...row("Load", loadText(cable)), ...row("Errors", errorsText(cable))),
  ...faultsOf((fault) => fault.cable === cable.label)];
}

function nodePanel(node) {
  const home = node.isHost ? node.cables[0] && otherEnd(node.cables[0], node) : null;
  return [make("h2", {}, `${node.isHost ? "Host" : "Switch"} ${node.name}`),
    make("dl", {}, ...row("Place", place(node)), ...(home ? row("On",
      pickButton(home.node, home.node.name), ` port ${home.name}`) : [])),
    ...faultsOf((fault) => fault.node === node.name),
    make("h3", {}, "Ports"),
    table(["Port", "Cable", "To", "State", "Load"], node.cables.map((cable) => [
      endOf(cable, node).name, pickButton(cable, cable.label),
      pickButton(otherEnd(cable, node).node, otherEnd(cable, node).node.name),
      STATES[stateOf(cable)], loadText(cable)]), `Ports of ${node.name}`)];
}

function jobPanel() {
  const used = [...job.loads].sort((x, y) => y[1] - x[1]);
  const between = used.filter(([index]) => cables[index].step > 0);
  return [make("h2", {}, "Job"), make("dl", {},
    ...row("Nodes", job.nodes.length.toLocaleString("en")),
    ...row("On", plural(job.switches.size, "switch")),
    ...row("Uses", `${plural(between.length, "link")} between switches`),
    ...row("By", job.basis === "tables" ? "the forwarding tables of the switches"
      : "shortest paths, since no tables were read"),
    ...(job.n_lost ? row("Without a path", String(job.n_lost)) : []),
    ...(job.n_unknown ? row("Not in the plan", job.unknown.join(", ") +
      (job.n_unknown > job.unknown.length ? " …" : "")) : [])),
  make("button", { type: "button", onclick: clearJob }, "Forget the job"),
  make("h3", {}, "Its busiest links, if all nodes send to all"),
  table(["Cable", "From", "To", "Share"], between.slice(0, 40).map(
    ([index, share]) => [pickButton(cables[index], cables[index].label),
      cables[index].ends[0].node.name, cables[index].ends[1].node.name,
      `${Math.round(100 * share)} %`]), "Links that the job uses")];
}

function showPanel() {
  const shown = picked?.ends ? cablePanel(picked) : picked?.isJob && job
    ? jobPanel() : picked?.name ? nodePanel(picked) : null;
  $("panel").hidden = !shown;
  if (shown) {
    const focus = $("panel-body").contains(document.activeElement);
    const at = focus ? [...$("panel-body").querySelectorAll("button")].indexOf(
      document.activeElement) : -1;
    $("panel-body").replaceChildren(...shown);
    if (focus) {
      ($("panel-body").querySelectorAll("button")[at] ?? $("panel")).focus();
    }
  }
}

/* Shows a cable or a node; stays where it is if the keyboard moves on. */
function pick(thing, stays) {
  picked = thing;
  $("hits").replaceChildren();
  showPanel();
  repaint();
  if (!stays) {
    if (view === "faults" || view === "timeline") {
      show("racks");
    }
    const node = thing.ends ? thing.ends[0].node : thing;
    if (view === "racks") {
      $(`rack-${node.isHost && node.cables[0] ? otherEnd(node.cables[0], node)
        .node.rack : node.rack}`)?.scrollIntoView({ block: "nearest" });
    }
    $("panel").focus({ preventScroll: true });
  }
  tell(thing.ends ? `Cable ${thing.label}, ${STATES[stateOf(thing)]}`
    : thing.name ? `${thing.name}, ${place(thing)}` : "");
}

/* Faults and events. */
function faultCard(fault) {
  const cable = fault.cable && byLabel.get(fault.cable.toLowerCase());
  const node = fault.node && byName.get(fault.node.toLowerCase());
  const thing = cable || node;
  return make("article", { class: `fault ${fault.severity}` },
    make("p", {}, fault.text),
    fault.remedy ? make("p", { class: "remedy" }, fault.remedy) : null,
    make("div", { class: "meta" }, make("span", { class: "tag" },
      fault.severity), fault.kind.replaceAll("_", " "), fault.flapping
      ? make("span", {}, `flapping, ${fault.count} more changes`) : null,
    make("span", {}, `since ${moment(fault.since)}`),
    thing ? pickButton(thing, `Show ${cable ? cable.label : node.name}`) : null));
}

function faultsOf(isMeant) {
  return (state?.open ?? []).filter(isMeant).map(faultCard);
}

function showFaults() {
  const open = state.open;
  const more = state.n_open - open.length;
  $("n-faults").textContent = state.n_faults || "";
  if (view !== "faults") {
    return;
  }
  keepFocus($("fault-list"), open.length ? [...open.map(faultCard),
    ...(more > 0 ? [make("p", {}, `and ${more.toLocaleString("en")} more`)] : [])]
    : [make("p", {}, state.discovered ? "Nothing is wrong."
      : "Nothing was discovered yet.")]);
}

/* Replaces children; the button that had the focus has it again. */
function keepFocus(parent, children) {
  const buttons = [...parent.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  parent.replaceChildren(...children);
  if (at >= 0) {
    parent.querySelectorAll("button")[at]?.focus();
  }
}

/* The text of an event, in which its cable or node can be picked. */
function linked(event) {
  const thing = event.cable ? byLabel.get(event.cable.toLowerCase())
    : event.node ? byName.get(event.node.toLowerCase()) : null;
  const name = thing && (thing.label ?? thing.name);
  const at = name ? event.text.lastIndexOf(name) : -1;
  return at < 0 ? [event.text] : [event.text.slice(0, at), pickButton(thing,
    name), event.text.slice(at + name.length)];
}

function eventRow(event) {
  const words = { began: "began", ended: "ended", flapping: "flapping",
    steady: "steady again", noted: "note", repeated: "again" };
  const count = event.sum ? `${event.count.toLocaleString("en")} ` :
    event.count > 1 ? `${event.count}× ` : "";
  return make("li", { class: `${event.severity} ${event.event}`, "data-id":
    event.id }, make("time", { datetime: event.time }, moment(event.time)),
  make("span", { class: "what" }, words[event.event]),
  make("div", { class: "text" }, make("p", {}, event.sum
    ? `${count}${event.text} (${event.kind.replaceAll("_", " ")})`
    : event.event === "repeated" ? `${count}more: ${event.text}` : "",
  ...(event.sum || event.event === "repeated" ? [] : linked(event)),
  event.event === "ended" && event.count > 1 && !event.sum
    ? ` (${event.count} changes while it flapped)` : ""),
  event.remedy && event.event !== "ended" ? make("p", { class: "remedy" },
    event.remedy) : null));
}

function showEvents() {
  if (view !== "timeline") {
    return;
  }
  const word = $("filter-text").value.toLowerCase();
  const least = Number($("filter-severity").value);
  const rows = [...events.values()].filter((event) =>
    SEVERITIES.indexOf(event.severity) >= least &&
    (!word || JSON.stringify(event).toLowerCase().includes(word)))
    .sort((x, y) => y.id - x.id).slice(0, MAX_EVENTS);
  keepFocus($("events"), rows.length ? rows.map(eventRow)
    : [make("li", { class: "day" }, "No such events.")]);
}

function addEvents(list) {
  list.forEach((event) => events.set(event.id, event));
  if (events.size > MAX_EVENTS) {
    [...events.keys()].sort((x, y) => x - y).slice(0, events.size - MAX_EVENTS)
      .forEach((id) => events.delete(id));
  }
  showEvents();
}

/* Wiring: what 'slimfly watch' shows. */
let shownRack = null;

function bar([right, planned], name) {
  return make("progress", { max: planned || 1, value: planned ? right : 1,
    "aria-label": name });
}

function todoOf(rack) {
  const wanted = cables.filter((cable) => [1, 2, 4].includes(stateOf(cable)) &&
    cable.ends.some((end) => end.node.rack === rack.index));
  return [make("h2", { id: "todo" }, `Rack ${rack.name}: ${plural(wanted.length,
    "cable")} to plug`), make("ul", { class: "todo" }, ...wanted.slice(0, 100)
    .map((cable) => make("li", {}, pickButton(cable, cable.label),
      ` ${endText(cable.ends[0])} – ${endText(cable.ends[1])}`))),
  wanted.length > 100 ? make("p", {}, `and ${wanted.length - 100} more`) : null]
    .filter(Boolean);
}

function showWiring() {
  if (view !== "wiring") {
    return;
  }
  const wiring = state.wiring, [right, planned] = wiring.all;
  const labels = (list) => list.length > 40 ? `${list.slice(0, 40).join(" ")} …`
    : list.join(" ");
  const parts = [make("p", { class: "done" }, make("strong", {},
    `${planned ? Math.floor(100 * right / planned) : 100} %`),
  `${right.toLocaleString("en")} of ${plural(planned, "cable")} are right`),
  bar(wiring.all, "All cables"),
  make("div", { class: "steps" }, ...wiring.steps.map((tally, i) => tally[1]
    ? make("div", {}, make("span", {}, plan.steps[i], make("b", {},
      `${tally[0]} / ${tally[1]}`)), bar(tally, plan.steps[i])) : null))];
  if (state.failure) {
    parts.push(make("article", { class: "fault critical" }, make("p", {},
      `The discovery failed and is tried again: ${state.failure}`)));
  }
  parts.push(...wiring.warnings.map((text) => make("article",
    { class: "fault warning" }, make("p", {}, text))));
  if (wiring.wrong.length) {
    parts.push(make("h2", {}, `${plural(wiring.wrong.length, "mistake")} to mend`),
      ...wiring.wrong.map((wrong) => make("article", { class: "fault critical" },
        make("p", {}, wrong.text), wrong.remedy ? make("p", { class: "remedy" },
          wrong.step ? make("b", {}, `Step ${wrong.step}: `) : "",
          wrong.remedy) : null)));
  }
  if (wiring.plugged.length) {
    parts.push(make("h2", {}, "Just plugged right"), make("p",
      { class: "labels" }, labels(wiring.plugged)));
  }
  if (wiring.lost.length) {
    parts.push(make("h2", {}, "Not right any more"), make("p",
      { class: "labels" }, labels(wiring.lost)));
  }
  parts.push(make("h2", {}, "Racks"), make("div", { class: "tiles" },
    ...plan.racks.map((rack) => {
      const tally = wiring.racks[rack.index];
      return make("button", { type: "button", "aria-pressed":
        String(shownRack === rack), class: tally[0] === tally[1] ? "full" : null,
      onclick: () => {
        shownRack = shownRack === rack ? null : rack;
        showWiring();
        $("todo")?.scrollIntoView({ block: "nearest" });
      } }, make("span", {}, make("b", {}, rack.name),
        `${tally[0]} / ${tally[1]}`), bar(tally, `Rack ${rack.name}`));
    })));
  if (shownRack) {
    parts.push(...todoOf(shownRack));
  }
  keepFocus($("wiring-body"), parts);
}

/* Search. */
function matches(term) {
  const word = term.toLowerCase();
  const exact = byName.get(word) ?? byLabel.get(word);
  const found = exact ? [exact] : [];
  for (const thing of [...plan.nodes, ...cables]) {
    if (found.length === 24) {
      break;
    }
    if (thing !== exact && (thing.name ?? thing.label).toLowerCase()
      .includes(word)) {
      found.push(thing);
    }
  }
  return found;
}

/* The rack that a word means, as "R3" or "rack R3". */
function rackCalled(term) {
  const word = term.toLowerCase().replace(/^rack\s+/, "").replace(/^r?(?=\d)/, "r");
  return plan.racks.find((rack) => rack.name.toLowerCase() === word);
}

function goToRack(rack) {
  closePanel();
  $("hits").replaceChildren();
  show("racks");
  $(`rack-${rack.index}`)?.scrollIntoView({ block: "start" });
  tell(`Rack ${rack.name}: ${plural(rack.switches.length, "switch")}, ${
    plural(rack.nHosts, "host")}`);
}

function closePanel() {
  picked = null;
  showPanel();
  repaint();
}

function showHits(term) {
  if (!term || /^job\b/i.test(term)) {
    $("hits").replaceChildren();
    return;
  }
  const found = matches(term);
  $("hits").replaceChildren(found.length ? make("ul", {}, ...found.map((thing) =>
    make("li", {}, make("button", { type: "button", onclick: () => pick(thing) },
      thing.name ?? thing.label, " ", make("small", {}, thing.ends
        ? `${thing.ends[0].node.name} – ${thing.ends[1].node.name}`
        : place(thing))))))
    : make("p", {}, rackCalled(term) ? `Rack ${rackCalled(term).name}: press Enter.`
      : `Nothing is called '${term}'.`));
}

async function findJob(nodes) {
  const answer = await ask(`/job.json?nodes=${encodeURIComponent(nodes)}`);
  if (answer.failure || !answer.nodes.length) {
    $("hits").replaceChildren(make("p", {}, answer.failure
      ? `job: ${answer.failure}` : "None of these nodes is in the plan."));
    return;
  }
  const most = Math.max(1e-9, ...answer.cables.filter(([index]) =>
    cables[index].step > 0).map(([, load]) => load));
  const hosts = answer.nodes.map((index) => plan.nodes[index]);
  job = { ...answer, isJob: true, switches: new Set(hosts.filter((host) =>
    host.cables[0]).map((host) => otherEnd(host.cables[0], host).node)),
  loads: new Map(answer.cables.map(([index, load]) => [index,
    cables[index].step > 0 ? load / most : Math.min(1, load / most)])) };
  picked = { isJob: true };
  $("mode-job").hidden = false;
  $("hits").replaceChildren();
  if (!["racks", "network"].includes(view)) {
    show("network");
  }
  setMode("job");
  showPanel();
  $("panel").focus({ preventScroll: true });
  tell(`${plural(hosts.length, "node")} of the job use ${plural(
    answer.cables.length, "cable")}`);
}

function clearJob() {
  job = picked = null;
  $("mode-job").hidden = true;
  setMode("state");
  showPanel();
  $("main").focus();
}

/* Views. */
function setMode(name) {
  mode = name;
  document.querySelector(`input[name=mode][value=${name}]`).checked = true;
  showLegend();
  repaint();
}

function show(name) {
  view = name;
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const isOn = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(isOn));
    tab.tabIndex = isOn ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !isOn;
  }
  $("paint").hidden = !["racks", "network"].includes(name);
  if (location.hash !== `#${name}`) {
    history.replaceState(null, "", `#${name}`);
  }
  if (name === "racks" && !cells) {
    drawRacks();
  }
  if (name === "network" && !links) {
    drawGraph();
  }
  if (state) {
    repaint();
    showLegend();
    showFaults();
    showWiring();
    showGraphTable();
  }
  showEvents();
}

function showVerdict() {
  const [right, planned] = state.wiring.all;
  const worst = state.open.map((fault) => SEVERITIES.indexOf(fault.severity));
  const most = Math.max(-1, ...worst);
  const manager = state.manager;
  const text = !state.discovered ? "nothing was discovered yet"
    : state.n_faults ? `${plural(state.n_faults, "fault")}, ${right.toLocaleString(
      "en")} of ${plural(planned, "cable")} are right`
      : `all ${plural(planned, "cable")} are right`;
  $("verdict").textContent = text + (manager ? `; OpenSM is ${manager.verdict
    === "unknown" ? "not known" : manager.verdict}` : "");
  $("verdict").className = !state.discovered ? "" : most === 2 ? "bad"
    : most === 1 ? "warn" : "fine";
  document.title = `${state.n_faults ? `(${state.n_faults}) ` : ""}slimfly monitor: ${
    plan.spec}`;
}

function showState() {
  showVerdict();
  repaint();
  showFaults();
  showWiring();
  showGraphTable();
  if (!$("panel").hidden) {
    showPanel();
  }
}

/* The state is asked for once at a time, and once more if it changed since. */
let isAsking = false, isStale = false;

async function renew() {
  if (isAsking) {
    isStale = true;
    return;
  }
  isAsking = true;
  try {
    const before = state?.discovered;
    state = await ask("/state.json");
    if (!before !== !state.discovered) {
      showLegend();
    }
    showState();
    $("asof").textContent = state.failure ? "the last discovery failed"
      : state.discovered ? `as of ${clock(state.discovered)}` : "";
    $("asof").className = state.failure ? "lost" : "";
  } catch (error) {
    $("asof").textContent = "the monitor does not answer";
    $("asof").className = "lost";
  }
  isAsking = false;
  if (isStale) {
    isStale = false;
    setTimeout(renew, 200);
  }
}

function follow() {
  const stream = new EventSource("/events");
  stream.addEventListener("state", renew);
  stream.addEventListener("event", (message) => {
    addEvents([JSON.parse(message.data)]);
  });
  stream.addEventListener("resync", async () => {
    addEvents((await ask("/events.json")).events);
    renew();
  });
  stream.addEventListener("open", renew);
  stream.addEventListener("error", () => {
    $("asof").textContent = "the connection is lost and tried again";
    $("asof").className = "lost";
  });
}

function listen() {
  $("tabs").addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) {
      show(tab.getAttribute("aria-controls"));
    }
  });
  $("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const tabs = [...document.querySelectorAll("[role=tab]")];
      const next = tabs[(tabs.indexOf(document.activeElement) + step +
        tabs.length) % tabs.length];
      next.focus();
      show(next.getAttribute("aria-controls"));
    }
  });
  $("paint").addEventListener("change", (event) => setMode(event.target.value));
  $("filter").addEventListener("input", showEvents);
  $("filter").addEventListener("submit", (event) => event.preventDefault());
  $("graph-details").addEventListener("toggle", showGraphTable);
  $("term").addEventListener("input", (event) => showHits(event.target.value.trim()));
  $("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const term = $("term").value.trim();
    if (/^job\s/i.test(term)) {
      findJob(term.slice(3).trim()).catch((error) => tell(String(error)));
    } else if (term) {
      const [first] = matches(term), rack = rackCalled(term);
      if (first) {
        pick(first);
      } else if (rack) {
        goToRack(rack);
      } else {
        closePanel(); // It is about another thing.
        showHits(term);
      }
    }
  });
  $("close").addEventListener("click", () => {
    picked = null;
    showPanel();
    repaint();
    $("main").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT)$/.test(event.target.tagName)) {
      event.preventDefault();
      $("term").focus();
    } else if (event.key === "Escape") {
      $("hits").replaceChildren();
      if (!$("panel").hidden) {
        $("close").click();
      }
    }
  });
  window.addEventListener("hashchange", () => {
    const name = location.hash.slice(1);
    if ($(`tab-${name}`) && name !== view) {
      show(name);
    }
  });
  new ResizeObserver(([entry]) => document.documentElement.style.setProperty(
    "--top", `${entry.target.offsetHeight}px`)).observe(
    document.querySelector("header"));
}

async function start() {
  plan = await ask("/plan.json");
  readPlan();
  $("spec").textContent = `${plan.title} ${plan.spec}`;
  document.body.classList.toggle("large", cables.length > 3000);
  listen();
  const name = location.hash.slice(1);
  show($(`tab-${name}`) ? name : "racks");
  try {
    addEvents((await ask("/events.json")).events);
  } catch (error) {
    // They come with the stream.
  }
  await renew();
  showLegend();
  follow();
}

start().catch((error) => {
  $("verdict").textContent = `The page cannot start: ${error.message}`;
});
