/* results.js -- what the page of results can do where scripts run: tables
 * sort, marks of figures say their values, figures can be enlarged, and
 * colours can be chosen.  Without it the page is a plain document. */
(function () {
  "use strict";

  function make(name, parent, text) {
    const element = document.createElement(name);
    element.textContent = text || "";
    parent.append(element);
    return element;
  }

  /* Sorting. */

  function valueOf(row, column) {
    const cell = row.cells[column];
    if (cell.dataset.v === undefined) {
      return cell.textContent.trim();
    }
    return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") {
      return a - b;
    }
    return String(a).localeCompare(String(b), "en", { numeric: true });
  }

  function sort(table, column) {
    const heads = table.tHead.rows[0].cells;
    const isUp = heads[column].getAttribute("aria-sort") !== "ascending";
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, function (row) {
      return { row: row, value: valueOf(row, column) };
    });
    /* What is not known comes last, whatever the order. */
    rows.sort(function (a, b) {
      if (a.value === null || b.value === null) {
        return (a.value === null) - (b.value === null);
      }
      return isUp ? compare(a.value, b.value) : compare(b.value, a.value);
    });
    body.append.apply(body, rows.map(function (item) { return item.row; }));
    for (let i = 0; i < heads.length; i++) {
      heads[i].setAttribute("aria-sort", i !== column ? "none" :
        isUp ? "ascending" : "descending");
    }
  }

  document.querySelectorAll("table.sorts").forEach(function (table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      const text = head.textContent;
      head.textContent = "";
      head.setAttribute("aria-sort", "none");
      make("span", head, text).className = "paper";
      const button = make("button", head, text);
      button.type = "button";
      button.addEventListener("click", function () { sort(table, column); });
    });
  });

  /* Values of marks.  The browser would show them too, but late. */

  const tip = make("div", document.body);
  tip.id = "tip";
  tip.hidden = true;

  function markOf(target) {
    for (let at = target; at && at.closest && at.closest(".figure");
      at = at.parentNode) {
      if (at.dataset && at.dataset.tip) {
        return at;
      }
      const title = Array.from(at.children || []).find(function (child) {
        return child.localName === "title";
      });
      if (title) {
        at.dataset.tip = title.textContent;
        at.setAttribute("aria-label", title.textContent);
        title.remove();
        return at;
      }
    }
    return null;
  }

  document.addEventListener("pointermove", function (event) {
    const mark = markOf(event.target);
    tip.hidden = !mark;
    if (!mark) {
      return;
    }
    /* A dialog covers what is not in it. */
    const parent = mark.closest("dialog") || document.body;
    if (tip.parentNode !== parent) {
      parent.append(tip);
    }
    tip.textContent = mark.dataset.tip;
    const size = tip.getBoundingClientRect();
    tip.style.left = Math.max(0, Math.min(event.clientX + 14,
      innerWidth - size.width - 4)) + "px";
    tip.style.top = (event.clientY + 18 + size.height > innerHeight ?
      event.clientY - size.height - 8 : event.clientY + 18) + "px";
  });

  /* Enlarging.  The figure itself moves into a dialog and back, so that its
   * ids stay unique. */

  const dialog = make("dialog", document.body);
  dialog.setAttribute("aria-label", "Figure");
  const bar = make("div", dialog);
  bar.className = "bar";
  const close = make("button", bar, "Close");
  close.type = "button";
  const stage = make("div", dialog);
  stage.className = "stage";
  let home = null;

  /* A figure that is as wide as the page gets larger, too, and scrolls. */
  const GROWS = 1.5;

  function enlarge(button) {
    home = button;
    const figure = button.parentNode.querySelector(".figure");
    const svg = figure.querySelector("svg");
    const size = svg.getBoundingClientRect();
    svg.style.minWidth = GROWS * size.width + "px";
    svg.style.minHeight = GROWS * size.height + "px";
    stage.append(figure);
    dialog.showModal();
    close.focus();
  }

  close.addEventListener("click", function () { dialog.close(); });
  dialog.addEventListener("click", function (event) {
    if (event.target === dialog) {
      dialog.close();
    }
  });
  dialog.addEventListener("close", function () {
    tip.hidden = true;
    document.body.append(tip);
    if (home) {
      const figure = stage.firstElementChild;
      const style = figure.querySelector("svg").style;
      style.minWidth = style.minHeight = "";
      home.before(figure);
      home.focus();
      home = null;
    }
  });

  document.querySelectorAll("figure > .figure").forEach(function (figure) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Enlarge";
    figure.after(button);
    button.addEventListener("click", function () { enlarge(button); });
  });

  /* Colours.  Style sheets ask for the scheme of the system; so what they ask
   * is replaced.  Paper is always light. */

  const queries = [];
  Array.from(document.styleSheets).forEach(function (sheet) {
    Array.from(sheet.cssRules).forEach(function (rule) {
      if (rule.media && /prefers-color-scheme/.test(rule.media.mediaText)) {
        queries.push({ rule: rule, text: rule.media.mediaText });
      }
    });
  });
  const schemes = [
    { name: "as the system", scheme: "", media: null },
    { name: "light", scheme: "light", media: "not all" },
    { name: "dark", scheme: "dark", media: "screen" },
  ];
  const choice = document.getElementById("scheme");
  let chosen = 0;

  function show() {
    const scheme = schemes[chosen];
    queries.forEach(function (query) {
      query.rule.media.mediaText = scheme.media || query.text;
    });
    document.documentElement.style.colorScheme = scheme.scheme;
    choice.textContent = "Colours: " + scheme.name;
  }

  choice.addEventListener("click", function () {
    chosen = (chosen + 1) % schemes.length;
    show();
  });
  choice.hidden = false;
  show();

  addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (details) {
      details.open = true;
    });
  });
}());
