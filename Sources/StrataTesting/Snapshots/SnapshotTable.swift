internal import Foundation
internal import ORM
internal import ORMCore

/// The rows of an entity on their way into a snapshot.
struct SnapshotTable {
  let entity: StoredEntity
  /// The columns that are shown.
  let columns: [Int]
  /// The columns whose dates are replaced by labels.
  let timestamps: Set<Int>
  /// The rows, with ordering keys counted from 1.
  var rows: [[StoredValue]]

  init(_ entity: StoredEntity, _ found: [DynamicRow], _ options: Snapshot.Options) {
    self.entity = entity
    columns = entity.columns.indices.filter {
      !(entity.keySource == .hidden && entity.key.contains($0))
    }
    timestamps = Set(
      entity.columns.indices.filter { position in
        let column = entity.columns[position]
        switch options.timestamps {
        case .all: return true
        case .none: return false
        case .managed:
          return (column.role != nil && column.role != .version) || column.computedDefault == .now
        }
      })
    rows = found.map { row in entity.columns.map { row[$0.attribute] } }
    for (keys, position) in Self.positions(of: entity) { count(position, of: keys) }
  }

  /// The columns with ordering keys, and for each the columns with the key of its owner.
  private static func positions(of entity: StoredEntity) -> [(keys: [Int], position: Int)] {
    entity.indexes.compactMap { index in
      let columns = index.terms.map(\.column)
      guard let last = columns.last, columns.count > 1, entity.columns[last].isInternal,
        entity.columns[last].type == .int64, !entity.columns[last].isOfSubentities
      else { return nil }
      return (Array(columns.dropLast()), last)
    }
  }

  /// Replaces the ordering keys of each owner's rows by 1, 2 and so on.
  private mutating func count(_ position: Int, of keys: [Int]) {
    let groups = Dictionary(grouping: rows.indices.filter { !rows[$0][position].isNull }) { row in
      GroupKey(keys.map { rows[row][$0] })
    }
    for group in groups.values {
      let sorted = group.sorted {
        FakeNumber.order(rows[$0][position], rows[$1][position]) ?? 0 < 0
      }
      for (rank, row) in sorted.enumerated() { rows[row][position] = .int(Int64(rank + 1)) }
    }
  }

  /// The text of the table: a heading, the names, and a line for each row.
  func text(_ labels: inout SnapshotLabels, _ options: Snapshot.Options) -> String {
    var lines = [columns.map { entity.columns[$0].attribute }]
    for row in rows.prefix(options.maximumRows) {
      lines.append(
        columns.map { column in
          SnapshotValue.text(row[column], isTimestamp: timestamps.contains(column), options) {
            value in
            switch value {
            case .uuid(let uuid): labels.label(uuid)
            case .date(let date): labels.label(date)
            default: ""
            }
          }
        })
    }
    var text = "\(entity.modelName) (\(rows.count))\n"
    if rows.isEmpty { return text }
    let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = zip(line, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      var joined = cells.joined(separator: " | ")
      while joined.hasSuffix(" ") { joined.removeLast() }
      text += joined + "\n"
    }
    if rows.count > options.maximumRows { text += "…\n" }
    return text
  }
}

/// The order of rows whose keys are other ones in each run.
enum SnapshotOrder {
  /// Sorts the rows of all tables whose keys have UUIDs or labelled timestamps, by their other values; then
  /// by those of the rows that they lead to.
  static func sort(_ tables: inout [SnapshotTable]) {
    var known: [UUID: ExactText] = [:]
    // Each round sees one link further.
    for _ in 0..<4 {
      var next: [UUID: ExactText] = [:]
      for table in tables {
        for row in table.rows {
          let signature = signature(of: row, table, known)
          for column in table.entity.key {
            if case .uuid(let uuid) = row[column], table.entity.key.count == 1 {
              next[uuid] = signature
            }
          }
        }
      }
      // A signature is as short as its number among all, which keeps rounds from growing.
      let numbers = Dictionary(
        uniqueKeysWithValues: Set(next.values).sorted().enumerated().map { ($1, $0) })
      known = next.mapValues { ExactText("#\(numbers[$0] ?? 0)") }
    }
    for index in tables.indices {
      let table = tables[index]
      let isVolatile = table.entity.key.contains {
        table.entity.columns[$0].type == .uuid || table.timestamps.contains($0)
      }
      guard isVolatile else { continue }
      let signatures = table.rows.map { signature(of: $0, table, known) }
      let order = signatures.indices.sorted {
        (signatures[$0], $0) < (signatures[$1], $1)
      }
      tables[index].rows = order.map { table.rows[$0] }
    }
  }

  private static func signature(
    of row: [StoredValue], _ table: SnapshotTable, _ known: [UUID: ExactText]
  ) -> ExactText {
    let texts = table.columns.map { column in
      SnapshotValue.text(
        row[column], isTimestamp: table.timestamps.contains(column), Snapshot.Options()
      ) { value in
        if case .uuid(let uuid) = value { return known[uuid]?.text ?? "#" }
        return "#"
      }
    }
    return ExactText(texts.joined(separator: "\u{1}"))
  }
}

/// The texts of values.
enum SnapshotValue {
  /// The text of a value; `label` gives that of a value which is another one in each run.
  static func text(
    _ value: StoredValue, isTimestamp: Bool, _ options: Snapshot.Options,
    label: (StoredValue) -> String
  ) -> String {
    switch value {
    case .null: return "nil"
    case .bool(let value): return value ? "true" : "false"
    case .int(let value): return "\(value)"
    case .uint(let value): return "\(value)"
    case .double(let value): return "\(value)"
    case .string(let text): return quoted(text)
    case .data(let data): return self.text(of: data)
    case .date(let date): return isTimestamp ? label(value) : DateText.text(of: date)
    case .uuid(let uuid): return options.labelsUUIDs ? label(value) : uuid.uuidString
    case .decimal(let decimal): return DecimalText.text(of: decimal)
    case .array(let values):
      let texts = values.map { text($0, isTimestamp: isTimestamp, options, label: label) }
      return "[" + texts.joined(separator: ", ") + "]"
    case .json(let text): return escaped(text)
    }
  }

  private static func text(of data: Data) -> String {
    let shown = data.prefix(16).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
    return data.count > 16 ? "\(data.count) bytes \(shown)…" : "\(data.count) bytes \(shown)"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + escaped(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")) + "\""
  }

  /// The text without scalars that would break a line or not be seen.
  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0A: result.append(contentsOf: "\\n".unicodeScalars)
      case 0x0D: result.append(contentsOf: "\\r".unicodeScalars)
      case 0x09: result.append(contentsOf: "\\t".unicodeScalars)
      case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0xFEFF:
        result.append(
          contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
