internal import Foundation
internal import ORM

/// A fault of a record, before its location is computed.
struct JSONFault {
  /// The byte of the value.
  var offset: Int
  /// The path from that value to the fault, such as a missing member; empty if the value itself is wrong.
  var path = ""
  var message: String
  var kind: ImportFault? = .value
  var entity: String?
  var attribute: String?
}

/// The faults of the record that is being read, in the order in which they were found.
final class FaultList {
  private(set) var faults: [JSONFault] = []
  /// The most faults of one record that an error lists.
  private static let most = 100

  var isEmpty: Bool { faults.isEmpty }
  /// The number of faults, those that are not listed included.
  private(set) var count = 0

  func removeAll() {
    if count == 0 { return }
    faults.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Forgets the faults after the first ones.
  func removeAll(after first: Int) {
    if count == first { return }
    faults.removeSubrange(min(first, faults.count)...)
    count = first
  }

  func add(_ fault: JSONFault) {
    count += 1
    if faults.count < Self.most { faults.append(fault) }
  }

  /// Makes faults of other JSON those of a record: their locations become paths from it.
  func move(from first: Int, in bytes: UnsafeRawBufferPointer, to record: Int) {
    for index in faults.indices.dropFirst(first) {
      let fault = faults[index]
      faults[index].path = JSONLocation(of: fault.offset, path: fault.path, in: bytes).path
      faults[index].offset = record
    }
  }

  /// The error of the faults.
  ///
  /// - Parameters:
  ///   - bytes: the text.
  ///   - isText: whether a person knows the text.
  ///   - record: the first byte of the record.
  ///   - origin: the location of the text in a source of many records.
  func error(
    in bytes: UnsafeRawBufferPointer, isText: Bool, record: Int, origin: RecordOrigin? = nil
  ) -> StoreError {
    let errors = faults.map { $0.error(in: bytes, isText: isText, origin: origin) }
    if errors.count == 1 { return errors[0] }
    let location = JSONLocation(of: record, path: "", in: bytes, isText: isText, origin: origin)
      .description
    let kinds = Set(errors.map(\.rule))
    return StoreError(
      .invalidImport, "\(location): the record has \(errors.count) faults",
      entity: errors.first?.entity,
      rule: kinds.count == 1 ? errors[0].rule : ImportFault.several.rawValue, failures: errors)
  }
}

extension JSONFault {
  /// Throws `invalidImport` for a text that is not UTF-8.
  static func checkUTF8(_ bytes: UnsafeRawBufferPointer) throws {
    guard let invalid = JSONScanner.firstInvalidByte(of: bytes) else { return }
    let valid = UnsafeRawBufferPointer(rebasing: bytes[..<invalid])
    throw JSONFault(offset: invalid, message: "the text is not UTF-8", kind: .syntax).error(
      in: valid)
  }

  /// The error, with its location in the text.
  func error(
    in bytes: UnsafeRawBufferPointer, isText: Bool = true, origin: RecordOrigin? = nil
  ) -> StoreError {
    let location = JSONLocation(of: offset, path: path, in: bytes, isText: isText, origin: origin)
      .description
    return StoreError(
      .invalidImport, "\(location): \(message)\(hint(in: bytes))", entity: entity,
      attributes: attribute.map { [$0] } ?? [], rule: kind?.rawValue
    )
  }
}

extension JSONFault {
  /// A member that may have been meant by one that is missing, such as ` id` or `ID` for `id`.
  fileprivate func hint(in bytes: UnsafeRawBufferPointer) -> String {
    guard kind == .missing, let steps = JSONKeyPath.steps(of: path),
      case .name(let name)? = steps.last, offset < bytes.count
    else { return "" }
    var scanner = JSONScanner(bytes)
    scanner.position = offset
    scanner.skipSpace()
    return ValueReading.enter(steps.dropLast(), &scanner) ? Self.hint(for: name, scanner) : ""
  }

  /// The same for a member of the object at a scanner's position.
  static func hint(for name: String, _ object: JSONScanner) -> String {
    var scanner = object
    scanner.skipSpace()
    guard scanner.next == UInt8(ascii: "{") else { return "" }
    _ = scanner.skip(UInt8(ascii: "{"))
    repeat {
      scanner.skipSpace()
      guard let token = scanner.string(), let member = scanner.text(of: token),
        scanner.skip(UInt8(ascii: ":"))
      else { return "" }
      if !member.hasSameScalars(as: name), FormatSuggestion.isSpelling(member, of: name) {
        return "; there is '\(member)', which the mapping does not read"
      }
      scanner.skipSpace()
      guard scanner.skipValue() else { return "" }
    } while scanner.skip(UInt8(ascii: ","))
    return ""
  }
}

extension JSONScanner {
  /// The kind of value that begins here, in the words of errors.
  var found: String {
    switch next {
    case UInt8(ascii: "\""): "a string"
    case UInt8(ascii: "{"): "an object"
    case UInt8(ascii: "["): "an array"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "a boolean"
    case UInt8(ascii: "n"): "null"
    default: "a number"
    }
  }

  /// The same beside a type that it does not fit: a number may be one of another range.
  func found(for type: AttributeType) -> String {
    var scanner = self
    guard found == "a number", let token = scanner.number() else { return found }
    let isWhole = DecimalText.decimal(from: text(of: token)).map { value in
      var (whole, value) = (Decimal(), value)
      NSDecimalRound(&whole, &value, 0, .down)
      return whole == value
    }
    switch type.kind {
    case .int, .unsigned:
      return isWhole == false ? "a number with a fraction" : "a number out of range"
    case .double:
      return token.isInteger ? "an integer that it cannot hold exactly" : "one out of range"
    case .decimal: return "one out of range"
    default: return found
    }
  }
}
