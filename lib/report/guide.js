/* guide.js -- the wiring guide as pages, one for each rack: ticks that are
 * kept, how much is done, search.
 *
 * The document holds every run of cables once, as a section; a page shows
 * those that concern its rack.  Ticks are kept in the browser, a digit for
 * each cable and a key for each run, so that a tick writes little.  The keys
 * have the plan's identity in them: two plans never mix, and a plan that is
 * made again finds its ticks. */
"use strict";
(function () {
  const END_A = 1, END_B = 2, BOTH = 3;
  const SCHEMA = "slimfly.progress";
  const MOST_SHOWN = 60;
  const root = document.documentElement;
  const plan = document.body.dataset;
  const byId = (id) => document.getElementById(id);

  /* Makes an element with text and attributes. */
  function make(tag, text, attributes) {
    const element = document.createElement(tag);
    if (text !== undefined) {
      element.textContent = text;
    }
    for (const name in attributes || {}) {
      element.setAttribute(name, attributes[name]);
    }
    return element;
  }

  function plural(n, thing) {
    return n + " " + thing + (n === 1 ? "" : "s");
  }

  /* Runs of cables, and which ends of them are in. */

  const runs = Array.from(document.querySelectorAll("section.run"),
    (section) => ({
      section, id: section.id, step: Number(section.dataset.step),
      racks: [Number(section.dataset.a), Number(section.dataset.b)],
      ends: new Uint8Array(Number(section.dataset.n)),
      done: 0, half: 0, rows: null,
    }));
  const runById = new Map(runs.map((run) => [run.id, run]));

  function rowsOf(run) {
    run.rows = run.rows ||
      Array.from(run.section.querySelectorAll("tbody tr"));
    return run.rows;
  }

  function labelOf(row) {
    return row.cells[0].textContent;
  }

  function count(run) {
    run.done = run.half = 0;
    for (const ends of run.ends) {
      run.done += ends === BOTH;
      run.half += ends === END_A || ends === END_B;
    }
  }

  function showRow(run, i) {
    const row = rowsOf(run)[i], ends = run.ends[i];
    const [both, a, b] = row.querySelectorAll("input");
    both.checked = ends === BOTH;
    a.checked = (ends & END_A) !== 0;
    b.checked = (ends & END_B) !== 0;
    row.classList.toggle("done", ends === BOTH);
    row.classList.toggle("half", ends === END_A || ends === END_B);
  }

  function showRows(run) {
    for (let i = 0; i < run.ends.length; i++) {
      showRow(run, i);
    }
  }

  /* What the browser keeps. */

  let keepsTicks = true;

  function keyOf(run) {
    return "slimfly-guide/" + plan.plan + "/" + run.id;
  }

  function keep(run) {
    try {
      if (run.done + run.half) {
        localStorage.setItem(keyOf(run), run.ends.join(""));
      } else {
        localStorage.removeItem(keyOf(run));
      }
    } catch (error) {
      warnOfStorage();
    }
  }

  function recall(run) {
    let text = null;
    try {
      text = localStorage.getItem(keyOf(run));
    } catch (error) {
      warnOfStorage();
    }
    const isGood = text !== null && text.length === run.ends.length &&
      /^[0-3]*$/.test(text);
    for (let i = 0; i < run.ends.length; i++) {
      run.ends[i] = isGood ? Number(text[i]) : 0;
    }
    count(run);
  }

  function warnOfStorage() {
    if (keepsTicks) {
      keepsTicks = false;
      say("This browser does not let the page keep ticks. Export them " +
        "before you close it, and import them the next time.", true);
    }
  }

  /* Another tab with the same guide. */
  addEventListener("storage", (event) => {
    for (const run of runs) {
      if (event.key === null || event.key === keyOf(run)) {
        recall(run);
        showIfOn(run);
      }
    }
    showCounts();
  });

  /* Pages. */

  const nRacks = document.querySelectorAll("#counts tbody tr").length;
  let page = -1; /* A rack; -1: the overview. */

  function isOn(run, rack) {
    return run.racks.includes(rack);
  }

  function showIfOn(run) {
    if (isOn(run, page)) {
      showRows(run);
    }
  }

  function hashOf(rack, target) {
    return rack < 0 ? "#front" :
      "#rack-R" + rack + (target ? "/" + encodeURIComponent(target) : "");
  }

  function nameOf(rack) {
    return rack < 0 ? "Overview" : "R" + rack;
  }

  function showPage(rack) {
    page = rack;
    root.className = rack < 0 ? "js overview" : "js on-rack";
    for (const run of runs) {
      const section = run.section;
      section.classList.toggle("on", isOn(run, rack));
      section.classList.toggle("here-a", run.racks[0] === rack &&
        run.racks[1] !== rack);
      section.classList.toggle("here-b", run.racks[1] === rack &&
        run.racks[0] !== rack);
      showIfOn(run);
    }
    byId("page").value = rack;
    byId("rack").replaceChildren();
    if (rack >= 0) {
      showRackHead(rack);
    }
    turnsTo(byId("back"), rack - 1);
    turnsTo(byId("next"), rack + 1);
    showFoot(rack);
    showCounts();
  }

  function turnsTo(link, rack) {
    const isThere = rack >= -1 && rack < nRacks;
    link.href = hashOf(isThere ? rack : page);
    link.setAttribute("aria-disabled", !isThere);
  }

  function showFoot(rack) {
    const foot = byId("foot");
    foot.replaceChildren(make("span"), make("span"));
    if (rack >= 0) {
      foot.firstChild.append(make("a", "\u2039 " + nameOf(rack - 1),
        { class: "button", href: hashOf(rack - 1) }));
    }
    if (rack + 1 < nRacks) {
      foot.lastChild.append(make("a", nameOf(rack + 1) + " \u203a",
        { class: "button", href: hashOf(rack + 1) }));
    }
  }

  /* The name of a run on the page of a rack: "Step 3: to R4". */
  function nameOnPage(run, rack) {
    const other = run.racks[0] === rack ? run.racks[1] : run.racks[0];
    return "Step " + run.step + (other === rack ? "" : ": to R" + other);
  }

  function showRackHead(rack) {
    const row = document.querySelector(`#counts tr[data-rack="${rack}"]`);
    const cabinets = row.dataset.cabinets;
    const parts = make("div", undefined, { id: "parts" });
    byId("rack").append(make("h1", "R" + rack));
    if (cabinets !== "R" + rack) {
      byId("rack").append(make("p", "Racks " + cabinets + "."));
    }
    byId("rack").append(make("p", undefined, { id: "rack-done" }), parts);
    for (const run of runs.filter((each) => isOn(each, rack))) {
      const link = make("a", nameOnPage(run, rack),
        { class: "button", href: hashOf(rack, run.id) });
      link.append(make("span", "", { "data-run": run.id }));
      parts.append(link);
    }
  }

  /* How much is done. */

  function sumOf(some) {
    const sum = { done: 0, half: 0, n: 0 };
    for (const run of some) {
      sum.done += run.done;
      sum.half += run.half;
      sum.n += run.ends.length;
    }
    return sum;
  }

  /* "3 of 10", with a bar, into an element. */
  function fill(element, sum) {
    const text = sum.done + " of " + sum.n;
    element.replaceChildren(make("progress", undefined,
      { value: sum.done, max: sum.n || 1, "aria-label": text }), " " + text);
  }

  /* The same in words, with the cables that hang down. */
  function fillInFull(element, sum) {
    fill(element, sum);
    element.append(" cables are done", sum.half ?
      ", " + sum.half + " with one end in." : ".");
  }

  function showCounts() {
    fill(byId("done"), sumOf(runs));
    if (page < 0) {
      for (const row of document.querySelectorAll("#counts tr[data-rack]")) {
        showCountsOfRow(row, Number(row.dataset.rack));
      }
      const foot = document.querySelector("#counts tfoot tr");
      for (let step = 0; step < 4; step++) {
        fill(foot.cells[step + 1],
          sumOf(runs.filter((run) => run.step === step)));
      }
      fill(foot.cells[5], sumOf(runs));
      return;
    }
    const here = runs.filter((run) => isOn(run, page));
    fillInFull(byId("rack-done"), sumOf(here));
    for (const run of here) {
      fill(document.querySelector(`[data-run="${run.id}"]`), sumOf([run]));
    }
  }

  function showCountsOfRow(row, rack) {
    const here = runs.filter((run) => isOn(run, rack));
    row.cells[0].replaceChildren(make("a", "R" + rack,
      { href: hashOf(rack) }));
    for (let step = 0; step < 4; step++) {
      const some = here.filter((run) => run.step === step);
      const link = make("a", "\u2013");
      if (some.length) {
        link.href = hashOf(rack, some[0].id);
        fill(link, sumOf(some));
      }
      row.cells[step + 1].replaceChildren(link);
    }
    fill(row.cells[5], sumOf(here));
  }

  /* Ticking. */

  document.addEventListener("change", (event) => {
    const row = event.target.closest(".ticks tbody tr");
    if (!row) {
      return;
    }
    const run = runById.get(row.closest("section.run").id);
    const i = rowsOf(run).indexOf(row);
    const boxes = Array.from(row.querySelectorAll("input"));
    const bits = [BOTH, END_A, END_B][boxes.indexOf(event.target)];
    run.ends[i] = event.target.checked ? run.ends[i] | bits
      : run.ends[i] & ~bits;
    count(run);
    showRow(run, i);
    keep(run);
    showCounts();
  });

  /* Search. */

  let index = null; /* Made when it is needed first. */

  /* What can be found. */
  function entries() {
    if (index) {
      return index;
    }
    index = [];
    for (const run of runs) {
      rowsOf(run).forEach((row, i) => {
        const cell = (k) => row.cells[k].textContent;
        const texts = [labelOf(row)];
        for (const k of [1, 5]) {
          texts.push(cell(k) + " " + cell(k + 1), /* R0 U42 */
            cell(k + 2) + " " + cell(k + 3)); /* sf-0-0-0 8 */
        }
        index.push({ run, i, row, label: texts[0],
          texts: texts.map((text) => text.toLowerCase()) });
      });
    }
    return index;
  }

  /* What matches: the cable of that label alone, if there is one; "42" and
   * "c42" stand for C00042. */
  function find(term) {
    const words = term.trim().toLowerCase().replace(/\s+/g, " ")
      .replace(/ port /, " ");
    const number = /^(c?)0*(\d+)$/.exec(words);
    const exact = entries().filter((entry) => entry.texts[0] === words ||
      (number && entry.texts[0].replace(/^c0*/, "") === number[2]));
    return exact.length ? exact : entries().filter((entry) =>
      entry.texts.some((text) => text.includes(words)));
  }

  function hashOfEntry(entry) {
    const rack = isOn(entry.run, page) ? page : entry.run.racks[0];
    return hashOf(rack, entry.label);
  }

  function describe(entry) {
    const cell = (k) => entry.row.cells[k].textContent;
    const link = make("a", undefined, { href: hashOfEntry(entry) });
    link.append(make("b", entry.label),
      make("span", entry.run.section.querySelector("h3").textContent),
      make("span", cell(3) + " port " + cell(4) + " \u2013 " + cell(7) +
        " port " + cell(8)));
    return link;
  }

  function showFound(term) {
    const found = term.trim() ? find(term) : [];
    const panel = byId("found");
    panel.replaceChildren();
    if (!term.trim()) {
      return found;
    }
    panel.append(make("p", found.length ? plural(found.length, "cable") +
      (found.length > MOST_SHOWN ? ", the first " + MOST_SHOWN + ":" : "")
      : "No cable has this label, and no name contains it."));
    panel.append(...found.slice(0, MOST_SHOWN).map(describe));
    return found;
  }

  byId("term").addEventListener("input", (event) => {
    /* One letter matches nearly everything. */
    if (event.target.value.trim().length !== 1) {
      showFound(event.target.value);
    }
  });
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const found = showFound(byId("term").value);
    if (found.length === 1) {
      leaveSearch();
      location.hash = hashOfEntry(found[0]);
      goToHash();
    }
  });
  byId("found").addEventListener("click", (event) => {
    if (event.target.closest("a")) {
      leaveSearch();
    }
  });

  function leaveSearch() {
    byId("found").replaceChildren();
    byId("term").value = "";
    byId("term").blur();
  }

  function unmark() {
    for (const hit of document.querySelectorAll(".hit")) {
      hit.classList.remove("hit");
    }
  }

  /* Marks a cable in its row and in its drawing, and goes there. */
  function mark(entry) {
    entry.row.classList.add("hit");
    for (const title of entry.run.section.querySelectorAll("path title")) {
      if (title.textContent === entry.label) {
        title.parentNode.classList.add("hit");
      }
    }
    entry.row.querySelector("input").focus({ preventScroll: true });
    entry.row.scrollIntoView({ block: "center" });
  }

  /* The address says what is shown: "#rack-R3", "#rack-R3/pair-0-3",
   * "#rack-R3/C00042", also without a rack: "#C00042". */
  function goToHash() {
    const hash = decodeURIComponent(location.hash.slice(1));
    const parts = /^rack-R(\d+)[^/]*(?:\/(.*))?$/.exec(hash);
    const target = parts ? parts[2] : hash;
    const run = runById.get(target);
    const entry = run || !target || byId(target) ? undefined
      : find(target).find((each) => each.label === target);
    const wanted = run || (entry && entry.run);
    let rack = parts && Number(parts[1]) < nRacks ? Number(parts[1]) : -1;
    if (wanted && !isOn(wanted, rack)) {
      rack = wanted.racks[0];
    }
    showPage(rack);
    unmark();
    if (entry) {
      mark(entry);
    } else if (run) {
      run.section.scrollIntoView();
    } else if (!parts && target && target !== "front" && byId(target)) {
      byId(target).scrollIntoView();
    } else {
      scrollTo(0, 0);
    }
  }

  addEventListener("hashchange", goToHash);
  byId("page").addEventListener("change", (event) => {
    location.hash = hashOf(Number(event.target.value));
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("select, input[type=search]");
    if (event.altKey || event.ctrlKey || event.metaKey || isTyping) {
      return;
    }
    if (event.key === "/") {
      event.preventDefault();
      byId("term").focus();
    }
    const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (turn && page + turn >= -1 && page + turn < nRacks) {
      location.hash = hashOf(page + turn);
    }
  });
  addEventListener("beforeprint", () => {
    runs.forEach((run) => page < 0 && showRows(run));
  });

  /* Ticks as a file. */

  function say(text, isBad) {
    byId("said").textContent = text;
    byId("said").classList.toggle("bad", Boolean(isBad));
  }

  function exported() {
    const ticked = { a: [], b: [] };
    for (const run of runs.filter((each) => each.done + each.half)) {
      rowsOf(run).forEach((row, i) => {
        if (run.ends[i] & END_A) {
          ticked.a.push(labelOf(row));
        }
        if (run.ends[i] & END_B) {
          ticked.b.push(labelOf(row));
        }
      });
    }
    return { schema: SCHEMA, schema_version: 1, spec: plan.spec,
      plan: plan.plan, n_cables: Number(plan.cables),
      saved: new Date().toISOString(), ticked };
  }

  byId("export").addEventListener("click", () => {
    const data = exported();
    const name = "progress-" + plan.spec.replace(/[^\w.=-]+/g, "-") + "-" +
      data.saved.slice(0, 19).replace(/[:T]/g, "-") + ".json";
    const blob = new Blob([JSON.stringify(data, null, 1) + "\n"],
      { type: "application/json" });
    const link = make("a", "", { href: URL.createObjectURL(blob),
      download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say("Exported " + plural(data.ticked.a.length + data.ticked.b.length,
      "ticked end") + " to " + name + ".");
  });

  /* Checks what was read from a file; throws what is wrong with it. */
  function check(data) {
    if (!data || data.schema !== SCHEMA) {
      throw new Error("expected a file that this guide exported.");
    }
    if (data.schema_version !== 1) {
      throw new Error("expected schema_version 1, found " +
        data.schema_version + ".");
    }
    if (data.plan !== plan.plan) {
      throw new Error("it belongs to another plan, of " + data.spec + ".");
    }
    for (const end of ["a", "b"]) {
      if (!data.ticked || !Array.isArray(data.ticked[end])) {
        throw new Error("expected a list of labels, ticked." + end + ".");
      }
    }
  }

  /* Adds the ticks of a file to those that are there: two people who wire
   * give each other their files.  Returns how many were new. */
  function merge(data) {
    const byLabel = new Map(entries().map((entry) => [entry.label, entry]));
    const touched = new Set();
    let nNew = 0;
    for (const label of data.ticked.a.concat(data.ticked.b)) {
      if (!byLabel.has(label)) {
        throw new Error("the plan has no cable " + label + ".");
      }
    }
    for (const [labels, bit] of [[data.ticked.a, END_A],
      [data.ticked.b, END_B]]) {
      for (const label of labels) {
        const { run, i } = byLabel.get(label);
        nNew += (run.ends[i] & bit) === 0;
        run.ends[i] |= bit;
        touched.add(run);
      }
    }
    for (const run of touched) {
      count(run);
      keep(run);
      showIfOn(run);
    }
    showCounts();
    return nNew;
  }

  async function takeFile(file) {
    try {
      const data = JSON.parse(await file.text());
      check(data);
      const nNew = merge(data);
      const nKnown = data.ticked.a.length + data.ticked.b.length - nNew;
      return file.name + ": " + plural(nNew, "ticked end") + " taken, " +
        nKnown + " known already.";
    } catch (error) {
      return file.name + ": nothing was taken: " +
        (error instanceof SyntaxError ? "it is not JSON." : error.message);
    }
  }

  byId("import").addEventListener("change", async (event) => {
    const lines = [];
    for (const file of Array.from(event.target.files)) {
      lines.push(await takeFile(file));
    }
    event.target.value = ""; /* The same file can be chosen again. */
    say(lines.join("\n"), lines.some((line) => line.includes("nothing was")));
  });

  byId("forget").addEventListener("click", () => {
    const sum = sumOf(runs);
    if (sum.done + sum.half && confirm("Remove the ticks of " +
      plural(sum.done + sum.half, "cable") + "?")) {
      for (const run of runs) {
        run.ends.fill(0);
        count(run);
        keep(run);
      }
      showCounts();
      say("No cable is ticked.");
    }
  });

  /* The start. */

  function measureBar() {
    root.style.setProperty("--bar", byId("bar").offsetHeight + "px");
  }

  for (let rack = -1; rack < nRacks; rack++) {
    byId("page").append(make("option", nameOf(rack), { value: rack }));
  }
  runs.forEach(recall);
  measureBar();
  goToHash();
  addEventListener("resize", measureBar);
})();
