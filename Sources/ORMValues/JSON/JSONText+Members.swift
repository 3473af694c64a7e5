extension JSONText {
  /// One member of an object.
  package struct Member {
    package let name: String
    /// The value as conditions see it: objects and arrays are JSON.
    package let value: StoredValue
    /// The value as it is written.
    package let text: String
  }

  /// The members of an object in the order of their first appearance; of several with one name the
  /// last counts.
  ///
  /// Throws `decoding` with the position for a text that is not JSON, and for JSON that is no
  /// object.
  package static func members(of text: String) throws -> [Member] {
    try validate(text)
    var copy = text
    return try copy.withUTF8 { utf8 in
      var scanner = JSONScanner(UnsafeRawBufferPointer(utf8))
      guard scanner.skip(UInt8(ascii: "{")) else {
        throw StoreError(.decoding, "not a JSON object")
      }
      var members: [Member] = []
      var positions: [ExactText: Int] = [:]
      repeat {
        scanner.skipSpace()
        guard let token = scanner.string(), let name = scanner.text(of: token),
          scanner.skip(UInt8(ascii: ":"))
        else { break }
        scanner.skipSpace()
        let start = scanner.position
        let value = scanner.storedValue() ?? .null
        scanner.position = start
        guard scanner.skipValue() else { break }
        let written = String(decoding: utf8[start..<scanner.position], as: UTF8.self)
        let member = Member(name: name, value: value, text: written)
        if let position = positions.updateValue(members.count, forKey: name) {
          positions[name] = position
          members[position] = member
        } else {
          members.append(member)
        }
      } while scanner.skip(UInt8(ascii: ","))
      return members
    }
  }
}
