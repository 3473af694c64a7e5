internal import ORMValues

extension StoredSchema {
  /// Reads the text of a stored schema.
  ///
  /// A program opens the same few schemas again and again, in every connection that notices a change,
  /// and reading one takes as long as the rest of an opening: the last few are remembered.
  ///
  /// - Throws: `decoding` for a text that is no schema.
  package static func decoded(from text: String) throws -> StoredSchema {
    if let known = recent.withLock({ $0.first { $0.text.hasSameScalars(as: text) } }) {
      return known.schema
    }
    let schema = try JSONCoding.decode(StoredSchema.self, from: text)
    recent.withLock { recent in
      if recent.count >= 8 { recent.removeFirst() }
      recent.append((text, schema))
    }
    return schema
  }

  /// The schemas read last, by their texts.
  private static let recent = Lock<[(text: String, schema: StoredSchema)]>([])
}
