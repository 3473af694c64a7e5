#if Command
  import ArgumentParser
  import ORM

  /// The forms of a report: lines for a person, or one JSON object for a program.
  enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json

    /// Prints a report on standard output.
    func print(_ report: some Encodable & CustomStringConvertible) throws {
      switch self {
      case .text: Swift.print(report)
      case .json: Swift.print(try JSONCoding.encode(report))
      }
    }
  }
#endif
