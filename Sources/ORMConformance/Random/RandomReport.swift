internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension Shrinkable {
  /// The trial in words, for a person to repeat by hand, as the failure of a run.
  func failure(
    _ mismatch: RandomMismatch, seed: UInt64, store: String, isRepeatable: Bool
  ) -> ConformanceFailure {
    let note = isRepeatable ? "" : " (only after what came before it in the same run)"
    return ConformanceFailure(
      name: "random run, STRATA_SEED=\(seed)\(note)", clauses: ["every"], store: store,
      subject: lines.map { "\n  \($0)" }.joined() + "\n  \(mismatch.subject)",
      expected: "\(mismatch.expected)", got: "\(mismatch.got)", location: "RandomRun")
  }
}

extension RequestTrial {
  /// The model, the rows and the request.
  var lines: [String] { entity.lines + rows.map { "row: \($0.literal)" } + ["request: \(request)"] }
}

extension WriteTrial {
  /// The model, the rows and the steps.
  var lines: [String] {
    entity.lines + rows.map { "row: \($0.literal)" }
      + steps.enumerated().map { "step \($0 + 1): \($1)" }
  }
}

extension EntityDescription {
  /// The attributes and indexes, one a line.
  fileprivate var lines: [String] {
    var lines = ["entity with a \(keySource.rawValue) key of \(key):"]
    for attribute in attributes {
      var line = "  \(attribute.name): \(attribute.type)"
      if attribute.isOptional { line += "?" }
      if attribute.isNormalized { line += " normalized" }
      if case .value(let value) = attribute.defaultValue { line += " = \(value.literal)" }
      lines.append(line)
    }
    for index in indexes {
      let terms = index.terms.map { term in
        term.attribute + (term.form == .value ? "" : " \(term.form.rawValue)")
          + (term.isDescending ? " descending" : "")
      }
      lines.append("  \(index.isUnique ? "unique" : "index") on \(terms.joined(separator: ", "))")
    }
    return lines
  }
}

extension StoredValue {
  /// The value as Swift would write it, every scalar of a text to be seen.
  var literal: String {
    switch self {
    case .null: return "nil"
    case .bool(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .uint(let value): return "\(value)u"
    case .double(let value): return "\(value)"
    case .string(let text): return Self.quoted(text)
    case .json(let text): return "json " + Self.quoted(text)
    case .data(let data): return "data \([UInt8](data))"
    case .date(let date): return "date \(date.timeIntervalSinceReferenceDate)"
    case .uuid(let uuid): return uuid.uuidString
    case .decimal(let decimal): return "decimal " + DecimalText.text(of: decimal)
    case .array(let elements): return "[" + elements.map(\.literal).joined(separator: ", ") + "]"
    }
  }

  private static func quoted(_ text: String) -> String {
    if text.utf8.count > 300 { return "\"\(text.prefix(20))… of \(text.utf8.count) bytes\"" }
    return "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
  }
}

extension NaiveRow {
  var literal: String {
    sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.literal)" }.joined(separator: ", ")
  }
}

extension RandomOutcome: CustomStringConvertible {
  var description: String {
    switch self {
    case .values(let rows):
      "\(rows.count) rows"
        + rows.map { "\n    [" + $0.map(\.literal).joined(separator: ", ") + "]" }.joined()
    case .refused(let faults):
      faults.map { fault in
        fault.code.rawValue + (fault.attributes.map { " of \($0)" } ?? "")
      }.joined(separator: " or ")
    }
  }
}

extension RandomRequest: CustomStringConvertible {
  var description: String {
    var text = "\(output) where \(condition)"
    if !order.isEmpty { text += " sorted by " + order.map(\.description).joined(separator: ", ") }
    if paging != .all { text += ", \(paging)" }
    if let cursor { text += ", after \(cursor.literal)" }
    if let refusal { text += ", to be refused: \(refusal)" }
    return text
  }
}

extension RandomGroups: CustomStringConvertible {
  var description: String {
    var text =
      "by \(keys) of \(aggregates.map { "\($0.aggregate.kind) \($0.aggregate.operand?.description ?? "rows")" })"
    if having != .constant(true) { text += " having \(having)" }
    if !order.isEmpty { text += " by \(order.map(\.description).joined(separator: ", "))" }
    return text
  }
}

extension RandomStep: CustomStringConvertible {
  var description: String {
    switch self {
    case .put(let mode, let rows): "\(mode.rawValue) by names \(Self.list(rows))"
    case .save(let save):
      "\(save.mode.rawValue)\(save.isBatch ? " batch" : "") \(save.merge)"
        + (save.refusesDuplicates ? ", no overloads" : "") + " \(Self.list(save.rows))"
    case .match(let save):
      "save\(save.isBatch ? " batch" : "") matching \(save.equal) \(save.contain), "
        + "missing \(save.onMissing), several \(save.matches), \(save.merge) \(Self.list(save.rows))"
    case .patch(let patch):
      "patch\(patch.isByKey ? " by key" : "") \(patch.equalities.literal) to "
        + "\(patch.changes.literal), missing \(patch.onMissing)"
    case .change(let selection, let changes):
      "update \(selection) set "
        + changes.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        .joined(separator: ", ")
    case .delete(let selection): "delete \(selection)"
    case .deleteKeys(let keys):
      "delete by keys \(keys.map { "[" + $0.map(\.literal).joined(separator: ", ") + "]" })"
    case .deleteAll: "delete all"
    case .ask(let request): "ask \(request)"
    case .savepoint(let steps, let isUndone): "savepoint\(Self.block(steps, isUndone))"
    case .transaction(let steps, let isUndone): "transaction\(Self.block(steps, isUndone))"
    case .reopen: "reopen"
    }
  }

  private static func list(_ rows: [NaiveRow]) -> String {
    rows.map { "{\($0.literal)}" }.joined(separator: ", ")
  }

  private static func block(_ steps: [RandomStep], _ isUndone: Bool) -> String {
    (isUndone ? ", undone" : "")
      + steps.map { step in
        "\n    " + "\(step)".replacing("\n    ", with: "\n      ")
      }.joined()
  }
}

extension RandomStep.Selection: CustomStringConvertible {
  var description: String {
    var text = (isFirst ? "first " : "") + "where \(condition)"
    if !order.isEmpty { text += " sorted by " + order.map(\.description).joined(separator: ", ") }
    if let limit { text += " limit \(limit)" }
    if offset != 0 { text += " offset \(offset)" }
    return text
  }
}
