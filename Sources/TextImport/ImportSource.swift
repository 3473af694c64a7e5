internal import Foundation
package import ORM

/// A file of records with named fields, read as often as asked.
package struct ImportSource {
  package let path: String
  /// In bytes.
  package let size: Int
  private let isJSON: Bool

  /// - Throws: `cannotOpen` for what is no file that can be read more than once.
  package init(path: String) throws {
    self.path = path
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
      throw StoreError(.cannotOpen, "the file \(path) cannot be read")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw StoreError(.cannotOpen, "\(path) is not a regular file")
    }
    size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    isJSON = path.hasSuffix(".jsonl") || path.hasSuffix(".ndjson")
  }

  /// A field as the file has it.
  package enum Field {
    /// From CSV: to be read by the attribute's type.
    case text(String)
    /// From JSON: already of a kind.
    case value(StoredValue)
    /// From JSON: a number that no Int64 holds, as it is written.
    case number(String)

    package var isEmpty: Bool {
      switch self {
      case .text(let text): text.isEmpty
      case .value(let value): value.isNull
      case .number: false
      }
    }
  }

  /// One record and where it stands.
  package struct Record {
    package var fields: [(name: String, field: Field)]
    /// The start position of each field.
    package var places: [ImportPlace]
    /// The number of bytes of the file that were read with it.
    package var offset: Int

    /// The line that it begins on.
    package var line: Int { places.first?.line ?? 1 }
  }

  /// Hands every record to `body`, in order.
  ///
  /// - Throws: `invalidImport`, saying line and column.
  package func forEach(_ body: (Record) throws -> Void) throws {
    try isJSON ? forEachLine(body) : forEachRow(body)
  }

  private func forEachRow(_ body: (Record) throws -> Void) throws {
    var reader = try CSVReader(path: path)
    guard let header = try reader.next(), header != [""] else {
      throw fault(
        "the file has no header; its first line must name the "
          + "fields", ImportPlace(line: 1, column: 1))
    }
    var known: Set<String> = []
    for (name, place) in zip(header, reader.places) {
      if name.isEmpty { throw fault("the header has a field without a name", place) }
      if !known.insert(name).inserted {
        throw fault("the header names the field \(name) twice", place)
      }
    }
    while let fields = try reader.next() {
      if fields == [""], header.count > 1 { continue }
      guard fields.count == header.count else {
        throw fault(
          "the record has \(fields.count) fields, and the header has \(header.count)",
          fields.count > header.count ? reader.places[header.count] : reader.end)
      }
      try body(
        Record(
          fields: zip(header, fields).map { ($0, .text($1)) }, places: reader.places,
          offset: reader.offset))
    }
  }

  private func forEachLine(_ body: (Record) throws -> Void) throws {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw StoreError(.inputOutput, "the file \(path) cannot be read")
    }
    var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var place = ImportPlace(line: 0, column: 1)
    while position < bytes.count {
      place.line += 1
      let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
      let part = bytes[position..<end]
      position = end + 1
      if part.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      guard let line = String(validating: part, as: UTF8.self) else {
        throw fault("the text is not UTF-8", place)
      }
      let members: [JSONText.Member]
      do {
        members = try JSONText.members(of: line)
      } catch let error as StoreError {
        throw fault(error.message, place)
      }
      try body(
        Record(
          fields: members.map { ($0.name, field(of: $0)) },
          places: Array(repeating: place, count: members.count),
          offset: min(position, bytes.count)))
    }
  }

  private func field(of member: JSONText.Member) -> Field {
    if case .double = member.value { return .number(member.text) }
    return .value(member.value)
  }

  /// The error of a place in the file.
  package func fault(_ message: String, _ place: ImportPlace) -> StoreError {
    StoreError(
      .invalidImport, "\(path), line \(place.line), column \(place.column): \(message)")
  }
}
