internal import Foundation
internal import ORM

/// The bytes of a source that can be read again from the beginning.
struct ImportFile {
  /// The path; nil for bytes in memory.
  let path: String?
  let size: Int
  private let data: Data
  /// True if the file was made for the import and goes with it.
  private let isTemporary: Bool

  /// Opens the bytes of a source.
  ///
  /// - Throws: `cannotOpen` for a file that cannot be read twice, `invalidImport` for chunks.
  init(_ content: ImportContent) throws {
    switch content.kind {
    case .file(let path): try self.init(path: path)
    case .temporary(let path): try self.init(path: path, isTemporary: true)
    case .data(let data):
      self.init(path: nil, size: data.count, data: data, isTemporary: false)
    case .chunks:
      throw StoreError(
        .invalidImport, "chunks of bytes come over time: use the asynchronous import")
    }
  }

  /// Opens a regular file.
  init(path: String, isTemporary: Bool = false) throws {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
      throw StoreError(.cannotOpen, "the file \(path) cannot be read")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw StoreError(.cannotOpen, "\(path) is not a regular file")
    }
    let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    self.init(path: path, size: size, data: Data(), isTemporary: isTemporary)
  }

  private init(path: String?, size: Int, data: Data, isTemporary: Bool) {
    self.path = path
    self.size = size
    self.data = data
    self.isTemporary = isTemporary
  }

  /// Writes chunks to a temporary file as they come.
  static func spooling(
    _ chunks: (@Sendable ((Data) throws -> Void) async throws -> Void)
  ) async throws -> ImportFile {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-import-" + UUID().uuidString)
    guard FileManager.default.createFile(atPath: url.path, contents: nil),
      let file = FileHandle(forWritingAtPath: url.path)
    else {
      throw StoreError(.cannotOpen, "the temporary file \(url.path) of the source cannot be made")
    }
    do {
      try await chunks { chunk in
        do {
          try file.write(contentsOf: chunk)
        } catch {
          throw StoreError.unwritable(url.path, error)
        }
      }
      try file.close()
      return try ImportFile(path: url.path, isTemporary: true)
    } catch {
      try? FileManager.default.removeItem(at: url)
      throw error
    }
  }

  /// Removes the file if it was made for the import.
  func remove() {
    if isTemporary, let path { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The name of the source under which a checkpoint is stored; nil for one that cannot come again.
  var name: String? { isTemporary ? nil : path ?? "memory" }

  /// Opens a window at the first byte.
  func window(limit: Int) throws -> ByteWindow {
    guard let path else {
      var offset = data.startIndex
      return try ByteWindow(limit: limit) { [data] count in
        let end = min(offset + count, data.endIndex)
        defer { offset = end }
        return data[offset..<end]
      }
    }
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw StoreError(.cannotOpen, "the file \(path) cannot be read")
    }
    return try ByteWindow(limit: limit) { count in
      do {
        return try file.read(upToCount: count) ?? Data()
      } catch {
        throw StoreError(.inputOutput, "the file \(path) cannot be read")
      }
    }
  }

  /// An identification of the state of the source: size, time of change, and a digest of the first and
  /// the last 64 KiB.
  func fingerprint() throws -> String {
    let block = 64 << 10
    var ends = Data()
    var time = 0.0
    if let path {
      guard let file = FileHandle(forReadingAtPath: path) else {
        throw StoreError(.cannotOpen, "the file \(path) cannot be read")
      }
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      time = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      do {
        ends = try file.read(upToCount: block) ?? Data()
        try file.seek(toOffset: UInt64(max(0, size - block)))
        ends += try file.read(upToCount: block) ?? Data()
      } catch {
        throw StoreError(.inputOutput, "the file \(path) cannot be read")
      }
    } else {
      ends = data.prefix(block) + data.suffix(block)
    }
    let hash = ends.withUnsafeBytes { XXHash64.hash($0) }
    return "\(size) \(time) \(hash)"
  }
}

/// The points of a target that matter for reading its records.
struct RecordForm {
  var entity: String
  /// True if the members of an object are records.
  var isKeyed = false
  /// True if a name in the header of CSV is a path.
  var splitsNames = true
  /// The attribute that a path is read into; nil for a path that is not read.
  var column: ([PathStep]) -> ColumnPlan? = { _ in nil }
  /// The relationship that a path is read into; nil for a path at which none is read.
  var link: ([PathStep]) -> LinkField? = { _ in nil }
  /// The paths that are read inside of a struct that may be nil; nil for a path of anything else.
  var structParts: ([PathStep]) -> [[PathStep]]? = { _ in nil }
  /// The kinds of records of several kinds, by which the fields of CSV are attributes of other types.
  var kinds: [RecordForm] = []
  /// The texts that stand for the kinds.
  var table: KindTable?
}

extension ImportFrom {
  /// Calls a closure with each record of a file.
  func forEachRecord(
    of file: ImportFile, limits: ImportLimits, _ form: RecordForm,
    progress: (Int) -> Void = { _ in }, _ body: (RawRecord) throws -> Void
  ) throws {
    let window = try file.window(limit: limits.recordSize)
    func take(_ record: RawRecord) throws {
      try body(record)
      progress(window.offset)
    }
    switch format {
    case .json(let path):
      try JSONSource(
        window: window, path: Self.steps(path, form.entity), isKeyed: form.isKeyed,
        entity: form.entity
      ).forEach(take)
    case .jsonLines(let path):
      let steps = try Self.steps(path, form.entity)
      try LineSource(window: window).forEach { record in
        var record = record
        if !steps.isEmpty { Self.enter(steps, &record, form.entity) }
        try take(record)
      }
    case .csv(let format):
      try CSVSource(window: window, format: format, form: form).forEach(take)
    }
  }

  private static func steps(_ path: String, _ entity: String) throws -> [PathStep] {
    if path.isEmpty { return [] }
    guard let steps = JSONKeyPath.steps(of: path) else {
      throw StoreError(.invalidImport, "'\(path)' is not a path into JSON", entity: entity)
    }
    return steps
  }

  /// Makes the record of a line the value at a path in it.
  private static func enter(_ steps: [PathStep], _ record: inout RawRecord, _ entity: String) {
    var scanner = JSONScanner(record.bytes)
    scanner.skipSpace()
    guard ValueReading.enter(steps[...], &scanner) else {
      record.details = RecordDetails(
        fault: StoreError(
          .invalidImport,
          "\(JSONKeyPath.text(of: steps)) (\(record.location)): there is nothing at the path",
          entity: entity, rule: ImportFault.records.rawValue))
      return
    }
    let start = scanner.position
    let found = JSONLocation(of: start, path: "", in: record.bytes, origin: record.origin)
    _ = scanner.skipValue()
    record.bytes = UnsafeRawBufferPointer(rebasing: record.bytes[start..<scanner.position])
    record.location = ImportLocation(line: found.line, column: found.column, byte: found.byte)
    record.details = RecordDetails(path: JSONKeyPath.text(of: steps))
  }
}
