/// One workload: what is measured, how many units one run has, and the run.
package struct Workload {
  /// The word that chooses it on a command line.
  package let word: String
  package let name: String
  package let unit: String
  package let units: Int
  /// The section of the contestants that it goes on in.
  package let section: Section
  /// What has to be there before, and what is no longer as it was after.
  package let data: [Dataset]
  package let spoils: [Dataset]
  /// Brings a contestant into the state the run starts from, which is not measured, and gives the
  /// run; nil when the contestant has no such operation.
  package let prepare: (Entrant, _ repetition: Int) throws -> Action?

  package init<Operations>(
    _ word: String, _ name: String, unit: String, units: Int, in section: Section,
    as operations: Operations.Type,
    data: [Dataset] = [], spoils: [Dataset] = [],
    prepare: @escaping (Operations, _ repetition: Int) throws -> Action
  ) {
    self.word = word
    self.name = name
    self.unit = unit
    self.units = units
    self.section = section
    self.data = data
    self.spoils = spoils
    self.prepare = { entrant, repetition in
      try entrant.open(section, as: operations).map { try prepare($0, repetition) }
    }
  }
}
