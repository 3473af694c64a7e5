internal import Foundation
package import ORM

/// A file of records with named fields, read as often as asked.
package struct ImportSource {
  package let path: String
  package let size: Int
  private let isJSON: Bool

  package init(path: String) throws {
    self.path = path
    guard
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
    else { throw StoreError(.cannotOpen, "the file \(path) cannot be read") }
    self.size = size.intValue
    isJSON = path.hasSuffix(".jsonl") || path.hasSuffix(".ndjson")
  }

  /// A field as the file has it.
  package enum Field {
    /// From CSV: to be read by the attribute's type.
    case text(String)
    /// From JSON: already of a kind.
    case value(StoredValue)

    package var isEmpty: Bool {
      switch self {
      case .text(let text): text.isEmpty
      case .value(let value): value.isNull
      }
    }
  }

  /// One record and where it begins.
  package struct Record {
    package var line: Int
    package var fields: [(name: String, field: Field)]
  }

  /// Hands every record to `body`, in order.
  ///
  /// - Throws: `invalidImport`, saying line and column.
  package func forEach(_ body: (Record) throws -> Void) throws {
    try isJSON ? forEachLine(body) : forEachRow(body)
  }

  private func forEachRow(_ body: (Record) throws -> Void) throws {
    var reader = try CSVReader(path: path)
    guard let header = try reader.next() else {
      throw reader.fault("the file has no header", 1, 1)
    }
    for (index, name) in header.enumerated() where header[..<index].contains(name) {
      throw reader.fault("the header names \(name) twice", 1, 1)
    }
    var line = reader.line
    while let fields = try reader.next() {
      if fields == [""], header.count > 1 {
        line = reader.line
        continue
      }
      guard fields.count == header.count else {
        let column = fields.prefix(header.count).reduce(1) { $0 + $1.utf8.count + 1 }
        throw reader.fault(
          "\(fields.count) fields where the header has \(header.count)", line, column)
      }
      try body(Record(line: line, fields: zip(header, fields).map { ($0, .text($1)) }))
      line = reader.line
    }
  }

  private func forEachLine(_ body: (Record) throws -> Void) throws {
    let text = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    var line = 0
    for part in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      if part.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      guard let object = String(validating: part, as: UTF8.self) else {
        throw fault("the text is not UTF-8", line)
      }
      let values: [String: JSONField]
      do {
        values = try JSONCoding.decode([String: JSONField].self, from: object)
      } catch {
        throw fault("no JSON object: \(error)", line)
      }
      try body(
        Record(
          line: line,
          fields: values.sorted { $0.key < $1.key }.map { ($0.key, .value($0.value.value)) }))
    }
  }

  package func fault(_ message: String, _ line: Int, column: Int = 1) -> StoreError {
    StoreError(.invalidImport, "\(path), line \(line), column \(column): \(message)")
  }
}

/// One member of a JSON object as a stored value; an object or array stays JSON.
private struct JSONField: Decodable {
  let value: StoredValue

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      value = .null
    } else if let bool = try? container.decode(Bool.self) {
      value = .bool(bool)
    } else if let int = try? container.decode(Int64.self) {
      value = .int(int)
    } else if let double = try? container.decode(Double.self) {
      value = .double(double)
    } else if let text = try? container.decode(String.self) {
      value = .string(text)
    } else {
      let list = try container.decode([JSONField].self)
      value = .array(list.map(\.value))
    }
  }
}
